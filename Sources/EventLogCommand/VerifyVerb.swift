import EventLog

extension Verb {
  static let verify = Verb(
    name: "verify", summary: "check every line of journals; nothing is changed",
    usage: ["verify JOURNAL …"], options: [.schema, .json],
    examples: [
      ("eventlog verify ada.jsonl", "names every problem with its line and byte; exit 1 if any"),
      ("eventlog verify ada.jsonl ben.jsonl --json", "one JSON object a journal"),
    ],
    notes: [
      "Checked are each line's bytes, JSON and checksum, each device's sequence and chain, what"
        + "\nevents have seen, and the rules of their types. Notes are about sound events that"
        + "\nchange no field; they do not make a journal damaged."
    ]
  ) { arguments, console in
    _ = try Verb.journal(arguments, "verify")
    let catalog = try arguments.catalog()
    var isSound = true
    var failure: EventLogError?
    for path in arguments.words {
      let report: VerificationReport
      do throws(EventLogError) { report = try Journal(path: path, catalog: catalog).verify() } catch
      {
        // The others are checked all the same.
        if failure != nil { console.report(error) }
        failure = failure ?? error
        continue
      }
      if report.problemCount > 0 { isSound = false }
      if console.isJSON {
        try console.print(Verification.json(report, path: arguments.words.count > 1 ? path : nil))
      } else {
        try Verification.print(report, path: path, console)
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
    for note in report.notes {
      try console.print(
        "\(path):\(note.line): byte \(note.byte): "
          + "\(console.styled("note", .yellow)): \(note.message)")
    }
    let counts =
      "\(plural(report.eventCount, "event")) of \(plural(report.deviceCount, "device"))"
      + " in \(report.byteCount) bytes"
    let verdict =
      report.problemCount == 0
      ? console.styled("sound", .green)
      : console.styled(plural(report.problemCount, "problem"), .red)
    try console.print("\(path): \(verdict), \(counts).")
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

func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
