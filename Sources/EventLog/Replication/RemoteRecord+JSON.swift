extension RemoteRecord {
  package var json: JSONObject {
    func texts(_ events: [FullEventID]) -> JSONValue {
      .array(events.map { .string($0.description) })
    }
    func ranges(_ ranges: [EventRange]) -> JSONValue {
      .array(
        ranges.map {
          ["end": .string($0.end.description), "first": .number(JSONNumber($0.first))]
        })
    }
    var object: JSONObject = [:]
    if let success {
      object = [
        "at": .string(success.at.description), "ends": texts(success.ends),
        "lacking": ranges(success.lacking), "missing": ranges(success.missing),
      ]
      if !success.holdsEvents { object["empty"] = true }
      if let oneWay = success.oneWay {
        object["oneWay"] = [
          "direction": .string(oneWay.direction == .pull ? "pull" : "push"),
          "adopted": oneWay.adopted.map { .string($0) } ?? .null,
        ]
      }
    }
    if let failure {
      var why = failure.error.json
      why["at"] = .string(failure.at.description)
      why["since"] = .string(failure.since.description)
      object["failure"] = .object(why)
    }
    return object
  }

  package init(_ object: JSONObject) {
    success = Success(object)
    if case .object(let why)? = object["failure"] { failure = Failure(why) }
  }
}

extension RemoteRecord.Success {
  /// Returns nil if any member is invalid.
  fileprivate init?(_ object: JSONObject) {
    guard case .string(let text)? = object["at"], let at = Timestamp(text),
      let ends = object["ends"]?.list({ $0.plainText.flatMap { FullEventID($0) } }),
      let lacking = object["lacking"]?.list(Self.range),
      let missing = object["missing"]?.list(Self.range)
    else { return nil }
    self.init(at: at, ends: ends, lacking: lacking, missing: missing)
    holdsEvents = object["empty"] != true
    guard let value = object["oneWay"] else { return }
    guard case .object(let object) = value,
      let direction = object["direction"]?.plainText, ["pull", "push"].contains(direction)
    else { return nil }
    oneWay = SyncReport.OneWay(
      direction: direction == "pull" ? .pull : .push, adopted: object["adopted"]?.plainText)
  }

  private static func range(_ value: JSONValue) -> EventRange? {
    guard case .object(let object) = value,
      let end = object["end"]?.plainText.flatMap({ FullEventID($0) }),
      let first = object["first"]?.integer, (1...end.sequence).contains(first)
    else { return nil }
    return EventRange(from: first, to: end)
  }
}

extension RemoteRecord.Failure {
  fileprivate init?(_ object: JSONObject) {
    guard let at = object["at"]?.plainText.flatMap({ Timestamp($0) }),
      let since = object["since"]?.plainText.flatMap({ Timestamp($0) }),
      let error = EventLogError(object)
    else { return nil }
    self.init(at: at, since: since, error: error)
  }
}

extension EventLogError {
  /// The error as stored in a cache.
  package var json: JSONObject {
    var object: JSONObject = ["code": .string(code.text), "message": .string(message)]
    if let hint { object["hint"] = .string(hint) }
    if let retryAfter { object["retryAfter"] = .number(JSONNumber(retryAfter.milliseconds)) }
    return object
  }

  package init?(_ object: JSONObject) {
    guard let code = object["code"]?.plainText, let message = object["message"]?.plainText
    else { return nil }
    self.init(
      Code(kept: code), message, hint: object["hint"]?.plainText,
      retryAfter: object["retryAfter"]?.integer.map { .milliseconds($0) })
  }
}
