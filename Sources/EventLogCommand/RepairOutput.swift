import EventLog

/// What `eventlog repair` says.
struct RepairOutput {
  let path: String
  /// In the order in which the remotes were asked.
  let outcomes: [RepairOutcome]
  /// What was acknowledged to be lost, where that was asked for.
  let accepted: RepairReport?
  /// The journal as it is now.
  let status: JournalStatus
  let console: Console

  var reports: [RepairReport] { outcomes.map(\.report) + (accepted.map { [$0] } ?? []) }

  /// Whether nothing is missing any more, as far as the journal tells.
  var isWhole: Bool { status.firstDamage == nil && reports.allSatisfy { $0.refused.isEmpty } }

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
      add("accepted as lost", report.accepted)
      if report.acceptedByteRunCount > 0 {
        table.add(["accepted as lost", plural(report.acceptedByteRunCount, "damaged line")])
      }
    }
    add("missing", status.missing)
    for line in table.lines(console) { try console.print(line) }
    if !isWhole || outcomes.contains(where: { $0.error != nil }) { return }
    try console.print(
      "\(Visible.text(path)): "
        + (reports.allSatisfy(\.isEmpty)
          ? "nothing is missing" : console.styled("repaired", .green)) + ".")
  }

  private func warn() {
    let failed = outcomes.filter { $0.error != nil }
    for outcome in failed where outcomes.count > 1 {
      // The first one is the command's own error.
      console.note(
        "Could not repair from \(Visible.text(outcome.remote)): \(outcome.error?.message ?? "")")
    }
    for refusal in reports.flatMap(\.refused) {
      console.note("Warning: \(Visible.text(refusal.message))")
    }
    for notice in reports.flatMap(\.notices) { console.note("Note: \(Visible.text(notice))") }
    console.warn(status.warnings, of: path)
    guard let damage = status.firstDamage else { return }
    let journal = Visible.text(path)
    console.note("Warning: \(journal):\(damage.line): \(damage.message) \(advice)")
  }

  /// What can still be done. Nothing is to be given up that a copy may have.
  private var advice: String {
    let journal = ShellWord.path(path)
    if outcomes.isEmpty {
      return "Another copy may have it: eventlog repair \(journal) --from OTHER."
    }
    if outcomes.contains(where: { $0.error != nil }) {
      return "What could not be reached may have it."
    }
    return "If no copy has it: eventlog repair \(journal) --accept-loss."
  }
}
