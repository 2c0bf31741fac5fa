import EventLog
import EventLogAttachments
import EventLogInspection

extension Verb {
  static let verify = Verb(
    name: "verify", summary: "check every line of journals, without changing anything",
    usage: ["verify JOURNAL …"], options: [.user, .schema, .json],
    examples: [
      (
        "eventlog verify ada.jsonl",
        "reports every problem with its line and byte; exits with 1 if there is one"
      ),
      ("eventlog verify ada.jsonl ben.jsonl --json", "one JSON object per journal"),
    ],
    notes: [
      "It checks each line's bytes, JSON and checksum, that everything a line depends on is there,"
        + "\nand the rules of the types. A note reports what does no harm: a repeated line, damaged"
        + "\nbytes whose event is present on another line, an accepted loss, a device that was"
        + "\ncopied, an event that changes no field. Notes do not make a journal damaged. At most"
        + "\nthree of each sort are shown; --json has them all.",
      "It also checks the files in NAME.attachments against their names. eventlog attachments"
        + "\nJOURNAL --check lists those that are missing, and --fetch fetches them.",
      "eventlog repair and eventlog sync fetch missing events from another copy.",
    ]
  ) { arguments, console in
    _ = try Verb.journal(arguments, "verify")
    var isSound = true
    var failure: EventLogError?
    for path in arguments.operands {
      let report: VerificationReport
      let schema = try arguments.schema(of: [path])
      do throws(EventLogError) {
        report = try console.journals([path], schema.catalog, user: arguments["user"])[0].verify()
      } catch {
        // Continue with the other journals.
        if failure != nil { console.report(error.advised("verify", arguments)) }
        failure = failure ?? error
        continue
      }
      if report.problemCount > 0 { isSound = false }
      if console.isJSON {
        try console.print(
          Verification.json(report, path: arguments.operands.count > 1 ? path : nil))
      } else {
        try Verification.print(report, path: path, console)
      }
      if try !AttachmentVerification(beside: path, console).isSound { isSound = false }
      if !console.isJSON, (report.noteCounts[.unknownType] ?? 0) > 0 {
        console.note(
          !schema.declared.isEmpty
            ? "Note: The schema declares no such types, so their events are not checked further."
            : "Note: --schema FILE declares types that are not built in.")
      }
    }
    if let failure { throw failure }
    return isSound ? .yes : .no
  }
}

private enum Verification {
  static func print(_ report: VerificationReport, path: String, _ console: Console) throws {
    for problem in report.problems {
      try console.print(
        "\(path):\(problem.line): byte \(problem.byte): "
          + "\(console.styled(problem.code.text, .red)): \(problem.message)")
    }
    if report.problemCount > report.problems.count {
      try console.print("… and \(report.problemCount - report.problems.count) more problems.")
    }
    try printNotes(report, path: path, console)
    let counts =
      "\(plural(report.eventCount, "event")) from \(plural(report.deviceCount, "device"))"
      + " in \(report.byteCount) bytes"
    let verdict =
      report.problemCount == 0
      ? console.styled("sound", .green)
      : console.styled(plural(report.problemCount, "problem"), .red)
    try console.print("\(path): \(verdict), \(counts).")
  }

  /// The maximum number of notes printed per code: a journal may have thousands for one reason.
  private static let shownMax = 3

  private static func printNotes(
    _ report: VerificationReport, path: String, _ console: Console
  ) throws {
    var counts: [JournalProblem.Code: Int] = [:]
    for note in report.notes {
      counts[note.code, default: 0] += 1
      guard counts[note.code, default: 0] <= shownMax else { continue }
      try console.print(
        "\(path):\(note.line): byte \(note.byte): "
          + "\(console.styled("note", .yellow)): \(note.message)")
    }
    for note in JournalProblem.Note.allCases {
      let rest = (report.noteCounts[note] ?? 0) - shownMax
      if rest > 0 { try console.print("… and \(grouped(rest)) more \(note.rawValue) notes.") }
    }
  }

  /// Returns the number with thousands separators.
  private static func grouped(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  static func json(_ report: VerificationReport, path: String?) -> String {
    var members: [JSONObject.Member] = [
      .init(name: "eventCount", value: .count(report.eventCount)),
      .init(name: "byteCount", value: .number(JSONNumber(report.byteCount))),
      .init(name: "deviceCount", value: .count(report.deviceCount)),
      .init(name: "problemCount", value: .count(report.problemCount)),
      .init(name: "problems", value: .array(report.problems.map(json))),
      .init(name: "notes", value: .array(report.notes.map(json))),
    ]
    if let path { members.append(.init(name: "file", value: .string(path))) }
    return JSONValue.sorted(members).text
  }

  private static func json(_ problem: JournalProblem) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "line", value: .count(problem.line)),
      .init(name: "byte", value: .number(JSONNumber(problem.byte))),
      .init(name: "code", value: .string(problem.code.text)),
      .init(name: "message", value: .string(problem.message)),
    ]
    if let device = problem.device {
      members.append(.init(name: "device", value: .string(device)))
    }
    if let sequence = problem.sequence {
      members.append(.init(name: "sequence", value: .number(JSONNumber(sequence))))
    }
    return .sorted(members)
  }
}
