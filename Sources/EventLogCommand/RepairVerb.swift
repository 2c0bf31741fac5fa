import EventLog

extension Verb {
  static let repair = Verb(
    name: "repair", summary: "refill what is missing from another copy, settle forks",
    usage: ["repair JOURNAL", "repair JOURNAL --from OTHER", "repair JOURNAL --abandon"],
    options: [
      OptionSpec("from", "OTHER", "another copy: a journal, a folder, a machine"),
      OptionSpec(
        "abandon", nil,
        "give up what no copy can give back; all that is left is kept under fresh IDs"),
      OptionSpec("user", "NAME", "whose journal it is, where the line that says so is damaged"),
      .json,
    ],
    wordsMax: 1,
    examples: [
      ("eventlog repair ada.jsonl --from stick/ada.jsonl", "takes what is missing from a copy"),
      ("eventlog repair ada.jsonl --abandon", "goes on without what nobody has any more"),
    ],
    notes: [
      "Without an option, it uses the remotes that the journal is synced with, and puts in order"
        + "\nwhat needs no other copy. Nothing is thrown away: what is taken out of the journal is"
        + "\nput in its quarantine.",
      "A fork is one ID for two events: two copies went on under one device ID. The event with the"
        + "\nsmaller crc keeps it, and what follows it; the others are written again under a fresh"
        + "\ndevice ID. So both are kept, on every device alike, whoever repairs first.",
      "The exit code is 1 if something is left to repair.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "repair")
    let journal = Journal(path: path)
    let options = JournalOptions(deviceName: Terminal.hostName, user: arguments["user"])
    if arguments.has("abandon") {
      if arguments["from"] != nil {
        throw EventLogError.usage("--from and --abandon exclude each other.", "repair")
      }
      let report = try await journal.repair(givingUp: true, options: options)
      return try RepairOutput(path: path, remotes: [], console).print([report])
    }
    let names = arguments["from"].map { [$0] } ?? journal.remotes
    var reports: [RepairReport] = []
    for name in names {
      let remote = try Verb.remote(name, besides: path, "repair")
      reports.append(try await journal.repair(from: remote, options: options))
    }
    if names.isEmpty { reports.append(try await journal.repair(options: options)) }
    return try RepairOutput(path: path, remotes: names, console).print(reports)
  }
}

/// What `eventlog repair` says.
private struct RepairOutput {
  let path: String
  let remotes: [String]
  let console: Console

  init(path: String, remotes: [String], _ console: Console) {
    self.path = path
    self.remotes = remotes
    self.console = console
  }

  func print(_ reports: [RepairReport]) throws -> Verb.Answer {
    if console.isJSON {
      try console.print(json(reports).text)
    } else {
      try printTable(reports)
      warn(reports)
    }
    let isWhole = reports.allSatisfy { $0.forks.isEmpty && $0.refused.isEmpty }
    return isWhole && reports.last?.damage == nil ? .yes : .no
  }

  // MARK: - For a person

  private func printTable(_ reports: [RepairReport]) throws {
    var table = Table()
    func add(_ verb: String, _ ranges: [EventRange]) {
      for (index, range) in ranges.enumerated() {
        table.add([index == 0 ? verb : "", plural(Int(range.count), "event"), "\(range)"])
      }
    }
    for report in reports {
      add("refilled", report.refilled)
      add("pulled", report.pulled)
      for (index, move) in report.reissued.enumerated() {
        table.add([
          index == 0 ? "reissued" : "", plural(Int(move.from.count), "event"),
          "\(move.from) as \(move.to)",
        ])
      }
      add("lost", report.lost)
    }
    for line in table.lines(console) { try console.print(line) }
    for file in reports.flatMap(\.quarantined) {
      try console.print("What was taken out is in \(Table.cell(file)).")
    }
    guard let last = reports.last else { return }
    let isEmpty = reports.allSatisfy(\.isEmpty)
    if last.damage == nil, reports.allSatisfy({ $0.forks.isEmpty && $0.refused.isEmpty }) {
      try console.print(
        "\(Table.cell(path)): "
          + (isEmpty ? "nothing to repair" : console.styled("repaired", .green)) + ".")
    }
  }

  private func warn(_ reports: [RepairReport]) {
    let journal = Table.cell(path)
    for (index, report) in reports.enumerated() {
      let remote = index < remotes.count ? Table.cell(remotes[index]) : "OTHER"
      for fork in report.forks {
        switch fork.reason {
        case .keepsID:
          console.note(
            "Warning: \(fork.event) is the ID of two different events, and that of \(journal) keeps"
              + " it. The other copies have to be repaired: eventlog repair \(remote) --from"
              + " \(journal), where that is a journal; else on the device that wrote them.")
        case .incomplete:
          console.note(
            "Warning: \(fork.event) is the ID of two different events, and that of \(journal) gives"
              + " way; but events are missing behind it. Another copy may have them: --from OTHER."
              + " If none has: eventlog repair \(journal) --abandon, and then this once more.")
        case .unreadable:
          console.note(
            "Warning: \(fork.event) is the ID of two different events, but \(remote) does not hold"
              + " its own one any more, so nobody can tell which keeps it.")
        }
      }
      for refusal in report.refused { console.note("Warning: \(Table.cell(refusal.message))") }
      for notice in report.notices { console.note("Note: \(Table.cell(notice))") }
    }
    guard let damage = reports.last?.damage else { return }
    console.note(
      "Warning: \(journal):\(damage.line): damage is left. \(damage.message)"
        + (remotes.isEmpty
          ? " Another copy may have it: eventlog repair \(journal) --from OTHER."
          : " If no copy has it: eventlog repair \(journal) --abandon."))
  }

  // MARK: - For a program

  private func json(_ reports: [RepairReport]) -> JSONValue {
    func ranges(_ path: KeyPath<RepairReport, [EventRange]>) -> JSONValue {
      .array(reports.flatMap { $0[keyPath: path] }.map(\.json))
    }
    return .sorted([
      .init(name: "refilled", value: ranges(\.refilled)),
      .init(name: "pulled", value: ranges(\.pulled)),
      .init(
        name: "reissued",
        value: .array(
          reports.flatMap(\.reissued).map { move in
            .sorted([
              .init(name: "from", value: move.from.json), .init(name: "to", value: move.to.json),
            ])
          })),
      .init(name: "lost", value: ranges(\.lost)),
      .init(
        name: "quarantined",
        value: .array(reports.flatMap(\.quarantined).map { .string($0) })),
      .init(name: "forks", value: .array(reports.flatMap(\.forks).map(\.json))),
      .init(name: "refused", value: .array(reports.flatMap(\.refused).map(\.json))),
      .init(name: "damaged", value: .bool(reports.last?.damage != nil)),
    ])
  }
}

extension RepairReport.Fork {
  fileprivate var json: JSONValue {
    .sorted([
      .init(name: "device", value: .string(event.device.text)),
      .init(name: "sequence", value: .number(JSONNumber(event.sequence))),
      .init(name: "reason", value: .string(reason.rawValue)),
    ])
  }
}
