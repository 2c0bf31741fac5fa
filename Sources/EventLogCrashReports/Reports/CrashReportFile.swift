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

  /// Returns the report of an object, or nil if the object contains anything else than the report
  /// of its name.
  package static func report(in bytes: [UInt8], named name: String) -> CrashReport? {
    guard bytes.count <= objectBytesMax,
      let found = try? reports(in: bytes, at: name), found.count == 1,
      self.name(of: found[0]) == name
    else { return nil }
    return found[0]
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
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      object["format"]?.plainText == format
    else { return nil }
    guard object["version"]?.integer == 1, case .array(let values)? = object["reports"] else {
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
