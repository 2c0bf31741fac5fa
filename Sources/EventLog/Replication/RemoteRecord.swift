/// The record of the last runs with a remote: the journal's events that it holds, and the error of
/// later failed runs.
///
/// It is stored in the cache of the side folder. If it is lost, the status of the remote is unknown
/// until the next run.
package struct RemoteRecord: Sendable, Hashable {
  /// A completed run.
  package struct Success: Sendable, Hashable {
    package var at: Timestamp
    /// The last event of each run of the journal that was compared with the remote.
    package var ends: [FullEventID]
    /// The events up to these that the remote lacked at the end of the run.
    package var lacking: [EventRange]
    /// The events missing in the journal itself. The remote may have them or not.
    package var missing: [EventRange]
    /// The reason why events go in one direction only, or nil if they go in both.
    package var oneWay: SyncReport.OneWay?
    /// The time at which both sides had the same events, or nil if events go in one direction only.
    var syncedAt: Timestamp? { oneWay == nil ? at : nil }
  }

  /// The failed runs since the last success.
  package struct Failure: Sendable, Hashable {
    /// The time of the last failed run.
    package var at: Timestamp
    /// The time of the first failed run.
    package var since: Timestamp
    package var because: EventLogError

    package static func == (one: Failure, other: Failure) -> Bool {
      one.at == other.at && one.since == other.since && one.because.code == other.because.code
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(at) }
  }

  package var success: Success?
  package var failure: Failure?

  package init() {}

  /// Records a failed run.
  package mutating func note(_ error: EventLogError, at time: Timestamp) {
    failure = Failure(at: time, since: failure?.since ?? time, because: error)
  }
}

// MARK: - Queries

extension Ledger {
  /// The events of the journal that a remote isn't known to hold.
  ///
  /// The remote held everything up to `ends` except `lacking`, even if lines were damaged since or
  /// an end is no longer held.
  ///
  /// - Complexity: O(branches + events that the remote lacked), and O(branches) for each end that
  ///   is no longer held.
  func waiting(_ success: RemoteRecord.Success) -> [EventRange] {
    let shared = histories(
      of: success.ends.compactMap { locate($0) ?? presumedPredecessor(of: $0) })
    var ranges = success.lacking.filter { holds($0.end) }
    for (end, known) in runEnds(with: shared) {
      let first = known.map { $0 + 1 } ?? runStart(of: end)
      if first <= end.sequence { ranges.append(EventRange(from: first, to: fullID(end))) }
    }
    for range in success.missing {
      guard let end = locate(range.end) else { continue }
      for sequence in range.first...max(range.first, min(range.last, range.first + 9_999)) {
        guard let point = event(at: sequence, inHistoryOf: end), isHeld(point) else { continue }
        ranges.append(EventRange(from: sequence, to: fullID(point)))
      }
    }
    return ranges.sorted()
  }

  /// Whether an event is in one of some ranges.
  package func contains(_ event: FullEventID, in ranges: [EventRange]) -> Bool {
    ranges.contains { range in
      guard range.device == event.device, (range.first...range.last).contains(event.sequence),
        let end = locate(range.end), let point = self.event(at: event.sequence, inHistoryOf: end)
      else { return false }
      return fullID(point) == event
    }
  }

  /// The parts of some ranges that aren't in others.
  func rest(of ranges: [EventRange], after done: [EventRange]) -> [EventRange] {
    let parts = Dictionary(grouping: done, by: \.device)
    var left: [EventRange] = []
    for range in ranges {
      guard let end = locate(range.end) else {
        left.append(range)
        continue
      }
      var first = range.first
      func add(upTo last: Int64) {
        guard first <= last, let point = event(at: last, inHistoryOf: end) else { return }
        left.append(EventRange(from: first, to: fullID(point)))
      }
      for part in (parts[range.device] ?? []).sorted() {
        guard let last = locate(part.end), isInHistory(last, of: end), part.last >= first,
          part.first <= range.last
        else { continue }
        add(upTo: part.first - 1)
        first = max(first, part.last + 1)
      }
      add(upTo: range.last)
    }
    return left
  }
}

// MARK: - Storage format

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
      if let oneWay = success.oneWay {
        object["oneWay"] = [
          "direction": .string(oneWay.direction == .pull ? "pull" : "push"),
          "adopted": oneWay.adopted.map { .string($0) } ?? .null,
        ]
      }
    }
    if let failure {
      var why = failure.because.json
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
      let because = EventLogError(object)
    else { return nil }
    self.init(at: at, since: since, because: because)
  }
}

extension EventLogError {
  /// The error as stored in a cache.
  var json: JSONObject {
    var object: JSONObject = ["code": .string(code.text), "message": .string(message)]
    if let hint { object["hint"] = .string(hint) }
    if let retryAfter { object["retryAfter"] = .number(JSONNumber(retryAfter.milliseconds)) }
    return object
  }

  init?(_ object: JSONObject) {
    guard let code = object["code"]?.plainText, let message = object["message"]?.plainText
    else { return nil }
    self.init(
      Code(kept: code), message, hint: object["hint"]?.plainText,
      retryAfter: object["retryAfter"]?.integer.map { .milliseconds($0) })
  }
}

extension JSONValue {
  var plainText: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int64? { if case .number(let number) = self { number.integer } else { nil } }

  /// The elements of an array, or nil if the value isn't an array or an element is invalid.
  func list<Element>(_ element: (JSONValue) -> Element?) -> [Element]? {
    guard case .array(let values) = self else { return nil }
    let elements = values.compactMap(element)
    return elements.count == values.count ? elements : nil
  }
}
