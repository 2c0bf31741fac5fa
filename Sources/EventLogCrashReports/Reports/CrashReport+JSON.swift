public import EventLog

extension CrashReport {
  /// The report as JSON, with its members in the order of their names.
  ///
  /// Values that are unknown are left out.
  public var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "breadcrumbs", value: .array(breadcrumbs.map { .string($0) })),
      .init(name: "frames", value: .array(frames.map { .string($0?.description ?? "?") })),
      .init(name: "hour", value: .string(hour.description)),
      .init(name: "id", value: .string(id)),
      .init(name: "kind", value: .string(kind.rawValue)),
      .init(name: "severity", value: .string(severity.rawValue)),
    ]
    let texts = [
      "signal": signal?.rawValue, "fault": fault?.rawValue, "errorType": errorType, "app": app,
      "system": system, "device": device, "memory": memory?.rawValue,
    ]
    for (name, text) in texts {
      if let text { members.append(.init(name: name, value: .string(text))) }
    }
    if let isMainThread { members.append(.init(name: "mainThread", value: .bool(isMainThread))) }
    if isCut { members.append(.init(name: "cut", value: true)) }
    if hasFailedHandler { members.append(.init(name: "failedHandler", value: true)) }
    if omittedCount > 0 {
      members.append(.init(name: "omitted", value: .number(JSONNumber(Int64(omittedCount)))))
    }
    return .sorted(members)
  }

  /// Creates a report from JSON, or returns `nil` if a member is missing or has another form.
  ///
  /// Unknown members are left out, so that a report never contains other texts.
  public init?(json: JSONValue) {
    guard case .object(let object) = json,
      let id = object["id"]?.plainText, id.utf8.count == 32, ReportTexts.image(id) == id,
      let kind = object["kind"]?.plainText.flatMap(Kind.init),
      let severity = object["severity"]?.plainText.flatMap(Severity.init),
      let hour = object["hour"]?.plainText.flatMap({ Timestamp($0) }),
      let frames = object["frames"]?.list(Self.frame), frames.count <= RawLayout.framesMax,
      let breadcrumbs = object["breadcrumbs"]?.list({ $0.plainText.flatMap(ReportTexts.name) }),
      breadcrumbs.count <= RawLayout.crumbsMax
    else { return nil }
    func text<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
      object[name]?.plainText.flatMap(read)
    }
    self.init(
      id: id, kind: kind, signal: text("signal", Signal.init), fault: text("fault", Fault.init),
      errorType: text("errorType", ReportTexts.wholeTypeName), severity: severity,
      frames: frames.map(\.frame), isCut: object["cut"] == .bool(true),
      isMainThread: object["mainThread"].flatMap(Self.bool),
      app: text("app", ReportTexts.app), system: text("system", ReportTexts.system),
      device: text("device", ReportTexts.device), memory: text("memory", Memory.init),
      hour: hour.startOfHour, breadcrumbs: breadcrumbs,
      hasFailedHandler: object["failedHandler"] == .bool(true),
      omittedCount: Int(clamping: max(0, object["omitted"]?.integer ?? 0)))
  }

  private static func bool(_ value: JSONValue) -> Bool? {
    if case .bool(let isTrue) = value { isTrue } else { nil }
  }

  /// A frame that may be unknown.
  private struct ReadFrame { let frame: Frame? }

  private static func frame(_ value: JSONValue) -> ReadFrame? {
    guard let text = value.plainText else { return nil }
    if text == "?" { return ReadFrame(frame: nil) }
    return Frame(text).map { ReadFrame(frame: $0) }
  }
}

extension CrashReport.Frame {
  /// Creates a frame from its ``description``, or returns `nil` for another text.
  package init?(_ text: String) {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasPrefix("0x"),
      let image = ReportTexts.image(String(parts[0])),
      (3...18).contains(parts[1].utf8.count),
      let offset = UInt64(parts[1].dropFirst(2), radix: 16)
    else { return nil }
    self.init(image: image, offset: offset)
  }
}

extension Timestamp {
  private static let hour: Int64 = 3_600_000

  /// The start of the hour.
  package var startOfHour: Timestamp {
    let hours = Int64((Double(milliseconds) / Double(Self.hour)).rounded(.down))
    return Timestamp(milliseconds: hours * Self.hour) ?? self
  }
}
