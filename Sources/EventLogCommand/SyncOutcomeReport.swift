import EventLog

/// What `eventlog sync` says of a run.
struct SyncOutcomeReport {
  /// More than these are for `eventlog conflicts`.
  private static let conflictsMax = 20

  let path: String
  let outcomes: [SyncOutcome]
  let isRehearsal: Bool
  /// Whether there was no journal before.
  let isNew: Bool
  let console: Console

  func print() throws {
    if console.isJSON { return try console.print(json.text) }
    for outcome in outcomes { try print(outcome) }
    try printConflicts()
  }

  // MARK: - For a person

  private func print(_ outcome: SyncOutcome) throws {
    let address = Table.cell(outcome.address)
    if let error = outcome.error {
      // The first one is the command's own error.
      if outcomes.count > 1 { console.note("Could not sync with \(address): \(error.message)") }
      if outcome.report.pulled.isEmpty && outcome.report.pushed.isEmpty { return }
    }
    let report = outcome.report
    if outcome.isEmpty, report.forks.isEmpty, report.refused.isEmpty {
      try console.print("\(Table.cell(path)) and \(address) hold the same.")
    } else {
      if isNew, !isRehearsal, !report.pulled.isEmpty {
        console.note("Note: \(Table.cell(path)) is new, made of what came.")
      }
      try console.print("\(Table.cell(path)) and \(address)")
      try printRanges(report)
    }
    for fork in report.forks {
      console.note(
        "Warning: \(fork) is the ID of two different events. Nothing of \(fork.device) from there"
          + " on crosses, and nothing that has seen it.")
    }
    for refusal in report.refused { console.note("Warning: \(Table.cell(refusal.message))") }
    for notice in report.notices { console.note("Note: \(notice)") }
  }

  private func printRanges(_ report: SyncReport) throws {
    var table = Table()
    let verbs = isRehearsal ? ("would pull", "would push") : ("pulled", "pushed")
    for (verb, ranges) in [(verbs.0, report.pulled), (verbs.1, report.pushed)] {
      for (index, range) in ranges.enumerated() {
        table.add([index == 0 ? verb : "", plural(Int(range.count), "event"), "\(range)"])
      }
    }
    if table.isEmpty { table.add([isRehearsal ? "nothing would cross" : "nothing crossed"]) }
    for line in table.lines(console) { try console.print(line) }
  }

  private func printConflicts() throws {
    let conflicts = conflicts
    if conflicts.isEmpty { return }
    try console.print()
    try console.print(
      isRehearsal
        ? "\(plural(conflicts.count, "conflict")) would arise:"
        : "\(plural(conflicts.count, "new conflict")). Nothing is lost: settle each by one of the"
          + " commands.")
    for (conflict, side) in conflicts.prefix(Self.conflictsMax) {
      try ConflictReport(conflict: conflict, console: console)
        .print(settlingIn: isRehearsal ? nil : path, side: { side($0).rawValue })
    }
    guard conflicts.count > Self.conflictsMax else { return }
    let rest = "  … and \(conflicts.count - Self.conflictsMax) more; "
    try console.print(
      rest
        + (isRehearsal ? "--json lists all" : "eventlog conflicts \(Table.cell(path)) lists all"))
  }

  // MARK: - For a program

  /// Those of all remotes: of one that has arisen twice, the newer state.
  private var conflicts: [(conflict: Conflict, side: (EventID) -> SyncReport.Side)] {
    var order: [String] = []
    var found: [String: (conflict: Conflict, side: (EventID) -> SyncReport.Side)] = [:]
    for outcome in outcomes {
      for conflict in outcome.report.newConflicts {
        if found[conflict.id] == nil { order.append(conflict.id) }
        found[conflict.id] = (conflict, outcome.report.side)
      }
    }
    return order.compactMap { found[$0] }
  }

  private var json: JSONValue {
    let reports = outcomes.map(\.report)
    func ranges(_ path: KeyPath<SyncReport, [EventRange]>) -> JSONValue {
      var all = EventRanges()
      for range in reports.flatMap({ $0[keyPath: path] }) { all.insert(range) }
      return .array(all.ranges.map(\.json))
    }
    let forks = Set(reports.flatMap(\.forks)).sorted {
      ($0.device, $0.sequence) < ($1.device, $1.sequence)
    }
    return .sorted([
      .init(name: "pulled", value: ranges(\.pulled)),
      .init(name: "pushed", value: ranges(\.pushed)),
      .init(name: "forks", value: .array(forks.map(\.forkJSON))),
      .init(name: "refused", value: .array(reports.flatMap(\.refused).map(\.json))),
      .init(
        name: "conflicts",
        value: .array(
          conflicts.map { conflict, side in conflict.json { side($0).rawValue } })),
      .init(name: "remotes", value: .array(outcomes.map(Self.json))),
    ])
  }

  private static func json(_ outcome: SyncOutcome) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "remote", value: .string(outcome.address)),
      .init(name: "pulledCount", value: .count(Int(outcome.report.pulledCount))),
      .init(name: "pushedCount", value: .count(Int(outcome.report.pushedCount))),
    ]
    if let error = outcome.error {
      members.append(
        .init(
          name: "error",
          value: .sorted([
            .init(name: "code", value: .string(error.code.text)),
            .init(name: "message", value: .string(error.message)),
          ])))
    }
    return .sorted(members)
  }
}

extension SyncReport.Refusal {
  var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "code", value: .string(code.text)),
      .init(name: "message", value: .string(message)),
    ]
    if let device { members.append(.init(name: "device", value: .string(device.text))) }
    if let sequence {
      members.append(.init(name: "sequence", value: .number(JSONNumber(sequence))))
    }
    return .sorted(members)
  }
}
