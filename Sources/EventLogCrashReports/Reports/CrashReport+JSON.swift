public import EventLog

extension CrashReport {
  /// The report as JSON, with its members in the order of their names.
  ///
  /// Values that are unknown are left out.
  public var json: JSONValue {
    var members = CrashReportMember.all.compactMap { member in
      member.value(self).map { JSONObject.Member(name: member.field.name, value: $0) }
    }
    members.append(.init(name: "id", value: .string(id)))
    return .sorted(members)
  }

  /// Creates a report from JSON, or returns `nil` if a member is missing or has another form.
  ///
  /// Unknown members are left out, so that a report never contains other texts.
  public init?(json: JSONValue) {
    guard case .object(let object) = json,
      let id = object["id"]?.plainText, id.utf8.count == 32, ReportTexts.image(id) == id
    else { return nil }
    self.init(id: id)
    for member in CrashReportMember.all {
      guard member.read(object[member.field.name], &self) else { return nil }
    }
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
