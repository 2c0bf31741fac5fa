import EventLog

/// What `eventlog repair` says.
struct RepairOutput {
  let path: String
  /// In the order in which they came.
  let outcomes: [RepairOutcome]
  let console: Console

  private var reports: [RepairReport] { outcomes.flatMap(\.reports) }
  /// The first damage that is left.
  var damage: JournalProblem? { reports.last?.damage }

  /// Whether nothing is left, as far as those know who could be asked.
  var isWhole: Bool { damage == nil && outcomes.allSatisfy(\.isWhole) }

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    try printTable()
    warn()
  }

  // MARK: - For a person

  private func printTable() throws {
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
      if report.reorderedCount > 0 {
        table.add(["put in order", plural(report.reorderedCount, "line")])
      }
      add("lost", report.lost)
    }
    for line in table.lines(console) { try console.print(line) }
    for file in reports.flatMap(\.quarantined) {
      try console.print("What was taken out is in \(Table.cell(file)).")
    }
    if !isWhole || outcomes.contains(where: { $0.error != nil }) { return }
    try console.print(
      "\(Table.cell(path)): "
        + (reports.allSatisfy(\.isEmpty)
          ? "nothing to repair" : console.styled("repaired", .green)) + ".")
  }

  private func warn() {
    for outcome in outcomes {
      let remote = outcome.remote ?? "OTHER"
      if let error = outcome.error, outcomes.count(where: { $0.remote != nil }) > 1 {
        // The first one is the command's own error.
        console.note("Could not repair from \(Table.cell(remote)): \(error.message)")
      }
      for fork in outcome.reports.last?.forks ?? [] { warn(fork, Table.cell(remote)) }
      for refusal in outcome.reports.last?.refused ?? [] {
        console.note("Warning: \(Table.cell(refusal.message))")
      }
      for notice in outcome.reports.flatMap(\.notices) {
        console.note("Note: \(Table.cell(notice))")
      }
    }
    guard let damage else { return }
    let journal = Table.cell(path)
    console.note(
      "Warning: \(journal):\(damage.line): damage is left. \(damage.message) \(advice)")
  }

  private func warn(_ fork: RepairReport.Fork, _ remote: String) {
    let journal = Table.cell(path)
    switch fork.reason {
    case .keepsID:
      console.note(
        "Warning: \(fork.event) is the ID of two different events, and that of \(journal) keeps"
          + " it. The other copies have to be repaired: eventlog repair \(remote) --from"
          + " \(journal), where that is a journal; else on the device that wrote them.")
    case .incomplete:
      console.note(
        "Warning: \(fork.event) is the ID of two different events, and that of \(journal) gives"
          + " way; but events are missing behind it. Another copy may have them: --from OTHER. If"
          + " none has: eventlog repair \(journal) --abandon, and then this once more.")
    case .unreadable:
      console.note(
        "Warning: \(fork.event) is the ID of two different events, but \(remote) does not hold"
          + " its own one any more, so nobody can tell which keeps it.")
    }
  }

  /// What can still be done about damage. Nothing is to be given up that a copy may have.
  private var advice: String {
    let journal = ShellWord.quoted(path)
    let asked = outcomes.filter { $0.remote != nil }
    if asked.isEmpty { return "Another copy may have it: eventlog repair \(journal) --from OTHER." }
    if asked.contains(where: { $0.error != nil }) {
      return "What could not be reached may have it."
    }
    return "If no copy has it: eventlog repair \(journal) --abandon."
  }
}
