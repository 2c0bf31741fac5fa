import EventLog
import EventLogAttachments

/// The output of `eventlog sync`.
struct SyncOutcomeReport {
  /// The maximum number of conflicts printed; `eventlog conflicts` lists all.
  private static let conflictsMax = 20

  let path: String
  let outcomes: [SyncOutcome]
  let isDryRun: Bool
  /// The directions in which events may be transferred.
  let directions: ReplicationPlan.Directions
  /// Whether the journal didn't exist before.
  let isNew: Bool
  let console: Console
  /// The attachments of each remote that keeps some. They are printed in JSON only.
  var attachments: [AttachmentReport] = []
  /// The names of the two sides of a conflict.
  var sides = (ours: "ours", theirs: "theirs")

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    for outcome in outcomes { try print(outcome) }
    console.warn(ofDamage: last.damage, in: path)
    try printConflicts()
  }

  // MARK: - Text

  private func print(_ outcome: SyncOutcome) throws {
    let address = Visible.text(outcome.address)
    if let error = outcome.error {
      // A single failure is reported as the command's error.
      if outcomes.count > 1 { console.note("Could not sync with \(address): \(error.message)") }
      if outcome.report.pulled.isEmpty && outcome.report.pushed.isEmpty { return }
    }
    let report = outcome.report
    if outcome.isSame, let oneWay = report.oneWay, let user = oneWay.adopted {
      let (whole, part) =
        oneWay.direction == .pull
        ? (Visible.text(path), address) : (address, Visible.text(path))
      try console.print(
        "\(whole) contains all events of \(part). \(part) receives none, because its user,"
          + " \(Visible.text(user)), was adopted.")
    } else if outcome.isSame {
      let lacking =
        report.missing.isEmpty ? "" : "; both are missing \(Self.text(report.missing))"
      try console.print("\(Visible.text(path)) and \(address) contain the same events\(lacking).")
    } else {
      if isNew, !isDryRun, !report.pulled.isEmpty {
        let part =
          report.pending.isEmpty ? "the received events" : "the events received so far"
        console.note("Note: \(Visible.text(path)) is new; it was created from \(part).")
      }
      try printEvents(report, address)
    }
    if outcome.isRemoteNew { noteNewRemote(outcome, address) }
    if !report.pushed.isEmpty { note(unknownFiles: outcome.unknownFiles, in: address) }
    printNotes(outcome)
  }

  private func noteNewRemote(_ outcome: SyncOutcome, _ address: String) {
    let count = plural(Int(outcome.report.pushedCount), "event")
    let (it, new) = outcome.isFolder ? ("the folder", "a new folder") : ("it", "new")
    console.note(
      isDryRun
        ? "Note: \(address) does not exist yet; a sync would create \(it) with \(count)."
        : "Note: \(address) is \(new); it was created with \(count).")
  }

  private func note(unknownFiles: [String], in address: String) {
    guard let first = unknownFiles.first else { return }
    let more = unknownFiles.count > 1 ? " and \(unknownFiles.count - 1) more" : ""
    console.note(
      "Note: \(address) also contains \(Visible.text(first))\(more). Nothing happens to what is"
        + " there, but a folder that devices share should contain nothing else.")
  }

  func printNotes(_ outcome: SyncOutcome) {
    let (report, address) = (outcome.report, Visible.text(outcome.address))
    if !report.pending.isEmpty {
      console.note(
        "Note: \(address) lists \(Self.text(report.pending)), which cannot be received yet."
          + " Sync again later. What was lost on the way is restored when a device that has it"
          + " syncs.")
    }
    for refusal in report.refused { console.note("Warning: \(Visible.text(refusal.message))") }
    if report.refused.contains(where: \.code.meansMissingEvents) {
      let path = ShellWord.path(path)
      console.note(
        "Hint: eventlog verify \(path) shows what is missing or damaged here; do the same there.")
    }
    for notice in report.notices { console.note("Note: \(Visible.text(notice))") }
  }

  /// Returns the ranges as an enumeration in a sentence.
  private static func text(_ ranges: [EventRange]) -> String {
    ranges.map(\.description).enumeration
  }

  private func printEvents(_ report: SyncReport, _ address: String) throws {
    let names = "\(Visible.text(path)) and \(address)"
    var table = Table()
    let verbs = isDryRun ? ("would pull", "would push") : ("pulled", "pushed")
    for (verb, ranges) in [(verbs.0, report.pulled), (verbs.1, report.pushed)] {
      for (index, range) in ranges.enumerated() {
        table.add([
          index == 0 ? verb : "", plural(Int(range.count), "event"), range.text(report.id),
        ])
      }
    }
    // A run in one direction leaves the other direction's events to transfer.
    let (more, verb, other) =
      report.notPulled.isEmpty
      ? (report.notPushed, "push", "pull") : (report.notPulled, "pull", "push")
    let left =
      more.isEmpty ? nil : "\(plural(Int(more.reduce(0) { $0 + $1.count }), "event")) to \(verb)"
    if table.isEmpty, let left {
      return try console.print("\(names): nothing to \(other); \(left).")
    }
    if table.isEmpty {
      table.add([isDryRun ? "nothing would be transferred" : "nothing was transferred"])
    }
    try console.print(names)
    for line in table.lines(console) { try console.print(line) }
    if let left { try console.print("  \(left)") }
  }

  func printConflicts() throws {
    let conflicts = conflicts
    if conflicts.isEmpty { return }
    try console.print()
    try console.print(heading(of: conflicts))
    for (conflict, side) in conflicts.prefix(Self.conflictsMax) {
      try ConflictReport(conflict: conflict, console: console)
        .print(resolvingIn: isDryRun ? nil : path, side: { name(of: side($0)) })
    }
    guard conflicts.count > Self.conflictsMax else { return }
    let rest = "  … and \(conflicts.count - Self.conflictsMax) more; "
    try console.print(
      rest
        + (isDryRun
          ? "--json lists them all"
          : "eventlog conflicts \(ShellWord.path(path))\(ShellWord.contextOptions(console)) lists"
            + " them all")
    )
  }

  /// Returns the numbers of new conflicts and of conflicts with new candidates.
  private func heading(
    of conflicts: [(conflict: Conflict, side: (FullEventID) -> SyncReport.Side)]
  ) -> String {
    let grown = conflicts.count { wasOpen($0.conflict) }
    let new = conflicts.count - grown
    var parts: [String] = []
    if isDryRun {
      if new > 0 { parts.append("\(plural(new, "conflict")) would arise") }
      if grown > 0 {
        parts.append(
          "\(new > 0 ? String(grown) : plural(grown, "conflict")) would get a further candidate")
      }
      return parts.joined(separator: ", and ") + ":"
    }
    if new > 0 { parts.append(plural(new, "new conflict")) }
    if grown > 0 {
      parts.append(
        "\(new > 0 ? String(grown) : plural(grown, "conflict")) with a further candidate")
    }
    return parts.joined(separator: ", and ")
      + ". Nothing is lost: resolve each with one of the commands."
  }

  /// Whether two different candidates of a conflict were here before.
  private func wasOpen(_ conflict: Conflict) -> Bool {
    let here = conflict.candidates.filter { side(of: $0.fullID) != .theirs }
    return here.contains { $0.value != here[0].value }
  }

  /// Returns the name of a candidate's side.
  private func name(of side: SyncReport.Side) -> String {
    switch side {
    case .both: "already on both"
    case .ours: sides.ours
    case .theirs: sides.theirs
    }
  }

  /// The last successful report, for findings about the whole journal.
  var last: SyncReport { outcomes.last { $0.error == nil }?.report ?? SyncReport() }

  /// The new conflicts of all remotes, each in its latest state.
  var conflicts: [(conflict: Conflict, side: (FullEventID) -> SyncReport.Side)] {
    // By bytes, because `==` equates some different IDs.
    var order: [[UInt8]] = []
    var found: [[UInt8]: Conflict] = [:]
    for conflict in outcomes.flatMap(\.report.newConflicts) {
      let id = Array(conflict.id.utf8)
      if found.updateValue(conflict, forKey: id) == nil { order.append(id) }
    }
    return order.compactMap { id in found[id].map { ($0, side) } }
  }

  /// Returns the side that had an event before the run.
  private func side(of event: FullEventID) -> SyncReport.Side {
    let done = outcomes.filter { $0.error == nil }.map(\.report)
    // Only the first report shows the journal before the run: later ones include events pulled from
    // earlier remotes.
    let isOurs = done.first?.wasHere(event) ?? true
    let isTheirs = done.contains { $0.wasThere(event) }
    return isTheirs ? isOurs ? .both : .theirs : .ours
  }
}

extension JournalProblem.Code {
  /// Whether the code means missing events, on either side.
  fileprivate var meansMissingEvents: Bool { self == .gap }
}
