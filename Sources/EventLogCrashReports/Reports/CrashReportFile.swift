package import EventLog

/// A file of exported reports: every byte that leaves, readable with any editor.
package enum CrashReportFile {
  private static let format = "eventlog-crash-reports"
  /// The maximum size in bytes of a file that is read.
  package static let bytesMax = 64 << 20

  /// The maximum size in bytes of an object with a single report. `firestore.rules` has it, too.
  package static let objectBytesMax = 64 << 10

  /// The name of the object that contains a single report.
  static func name(of report: CrashReport) -> String { report.id + suffix }

  private static let suffix = ".json"

  /// Whether an object or file has the name of a single report.
  package static func isReport(_ name: String) -> Bool {
    name.utf8.count == 32 + suffix.utf8.count && name.hasSuffix(suffix)
      && ReportTexts.image(String(name.dropLast(suffix.count))) != nil
  }

  /// The content of an object with the name of a report.
  package enum Object {
    /// The report of the name.
    case report(CrashReport)
    /// A form that only a later version of Eventlog reads.
    case newer
    /// Anything else.
    case foreign
  }

  /// Reads an object with the name of a report.
  package static func object(in bytes: [UInt8], named name: String) -> Object {
    guard bytes.count <= objectBytesMax, let content = content(of: bytes) else { return .foreign }
    if let version = content.version, version > 1 { return .newer }
    guard let found = try? reports(in: content, at: name), found.count == 1,
      self.name(of: found[0]) == name
    else { return .foreign }
    return .report(found[0])
  }

  /// Returns the file's bytes, with a report on each line.
  package static func bytes(of reports: [CrashReport]) -> [UInt8] {
    let lines = reports.map { $0.json.text }.joined(separator: ",\n")
    return Array("{\"format\":\"\(format)\",\"version\":1,\"reports\":[\n\(lines)\n]}\n".utf8)
  }

  /// Returns the reports of a file, or nil if it is of another kind.
  ///
  /// - Throws: `invalidInput` if a report has another form.
  package static func reports(
    in bytes: [UInt8], at path: String
  ) throws(EventLogError) -> [CrashReport]? {
    guard let content = content(of: bytes) else { return nil }
    return try reports(in: content, at: path)
  }

  /// The parts of a file, each nil if it is missing or of another type.
  private struct Content {
    var version: Int64?
    var reports: [JSONValue]?
  }

  /// Returns nil if the file is of another kind.
  private static func content(of bytes: [UInt8]) -> Content? {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      object["format"]?.plainText == format
    else { return nil }
    var content = Content(version: object["version"]?.integer)
    if case .array(let values)? = object["reports"] { content.reports = values }
    return content
  }

  private static func reports(
    in content: Content, at path: String
  ) throws(EventLogError) -> [CrashReport] {
    guard content.version == 1, let values = content.reports else {
      throw EventLogError(
        .invalidInput, "\"\(path)\" was written by a later version of Eventlog. It was not read.",
        hint: "Update eventlog.", at: .init(file: path))
    }
    var reports: [CrashReport] = []
    for (index, value) in values.enumerated() {
      guard let report = CrashReport(json: value) else {
        throw EventLogError(
          .invalidInput,
          "Report \(index + 1) in \"\(path)\" has another form than an exported one. The file was"
            + " not read.", hint: "Export the reports again.",
          at: .init(file: path, line: index + 2))
      }
      reports.append(report)
    }
    return reports
  }
}
