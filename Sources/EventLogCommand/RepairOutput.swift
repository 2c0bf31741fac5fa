import EventLog
import EventLogInspection

/// The output of `eventlog repair`.
struct RepairOutput {
  let path: String
  /// The outcomes, in the order of the repairs.
  let outcomes: [RepairOutcome]
  /// The events accepted as lost, if `--accept-loss` was given.
  let accepted: RepairReport?
  /// The attachments, or nil if there was nothing to look at.
  let attachments: RepairAttachments?
  /// The journal's status after the repair.
  let status: JournalStatus
  /// Whether nothing was missing or damaged before the repair.
  let wasSound: Bool
  let console: Console

  var reports: [RepairReport] { outcomes.map(\.report) + (accepted.map { [$0] } ?? []) }

  /// Whether the journal shows no remaining loss or damage.
  var isWhole: Bool { status.firstDamage == nil && reports.allSatisfy { $0.refused.isEmpty } }

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    try printTable()
    warn()
  }

  // MARK: - Text

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
    if !isWhole || attachments?.isWhole == false { return }
    if outcomes.contains(where: { $0.error != nil }) { return }
    try console.print("\(Visible.text(path)): \(verdict).")
  }

  /// The result in a few words.
  private var verdict: String {
    var parts: [String] = []
    if reports.contains(where: { !$0.refilled.isEmpty || !$0.pulled.isEmpty }) {
      parts.append(
        wasSound
          ? "nothing was missing; it received new events" : console.styled("repaired", .green))
    }
    if let acceptedLosses { parts.append(acceptedLosses) }
    if let fetched = attachments?.fetched, !fetched.isEmpty {
      parts.append("fetched \(plural(fetched.count, "attachment"))")
    }
    if let left = attachments?.left, !left.isEmpty {
      parts.append("--attachments leaves out \(plural(left.count, "attachment"))")
    } else if parts.isEmpty {
      parts.append(status.warnings.isEmpty ? "nothing is missing" : "nothing else is missing")
    }
    if !status.warnings.isEmpty {
      parts.append("the next append moves the journal's damaged end to the quarantine folder")
    }
    return parts.joined(separator: "; ")
  }

  /// The number of losses accepted, or nil if there are none.
  private var acceptedLosses: String? {
    let eventCount = Int(reports.flatMap(\.accepted).reduce(0) { $0 + $1.count })
    let lineCount = reports.map(\.acceptedByteRunCount).reduce(0, +)
    var what: [String] = []
    if eventCount > 0 { what.append(plural(eventCount, "missing event")) }
    if lineCount > 0 { what.append(plural(lineCount, "damaged line")) }
    if what.isEmpty { return nil }
    return what.joined(separator: " and ")
      + (eventCount + lineCount == 1 ? " was given up" : " were given up")
  }

  private func warn() {
    let failed = outcomes.filter { $0.error != nil }
    for outcome in failed where outcomes.count > 1 {
      // A single failure is reported as the command's error.
      console.note(
        "Could not repair from \(Visible.text(outcome.remote)): \(outcome.error?.message ?? "")")
    }
    for refusal in reports.flatMap(\.refused) {
      console.note("Warning: \(Visible.text(refusal.message))")
    }
    for notice in reports.flatMap(\.notices) { console.note("Note: \(Visible.text(notice))") }
    console.warn(status.warnings, of: path)
    if let warning = attachments?.warning {
      console.note(
        "Warning: \(Visible.text(path)): \(warning). A device that has the content sends it with a"
          + " sync.")
    }
    if !status.warnings.isEmpty, status.firstDamage == nil, outcomes.isEmpty {
      console.note(
        "Note: Another copy may have what the damaged end contained: eventlog repair"
          + " \(ShellWord.path(path)) --from OTHER.")
    }
    guard let damage = status.firstDamage else { return }
    let journal = Visible.text(path)
    console.note("Warning: \(journal):\(damage.line): \(damage.message) \(advice)")
  }

  /// The next step. Accepting the loss is suggested only if all remotes were reached.
  private var advice: String {
    let journal = ShellWord.path(path)
    if outcomes.isEmpty {
      return "Another copy may have it: eventlog repair \(journal) --from OTHER."
    }
    if outcomes.contains(where: { $0.error != nil }) {
      return "A remote that could not be reached may have it."
    }
    return "If no copy has it: eventlog repair \(journal) --accept-loss."
  }
}
