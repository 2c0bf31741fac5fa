import EventLog
import EventLogAttachments
import EventLogUndo

/// The statements that an erasure needs, as found in a journal.
struct ErasurePlan: Sendable {
  private(set) var statements: [Erasures.Statement] = []
  var report = ErasureReport()
  /// The events to append first, after which the plan is made again.
  private(set) var restating: [EventDraft] = []
  /// The events that the values in ``restating`` are from.
  private(set) var frontier: VectorClock?
  /// The attachments that nothing names any more after the erasure.
  private var released: [String] = []

  /// - Parameter restated: The first of the events that have restated values.
  /// - Throws: `noEvent`, `noEntity`, or `invalidInput` if something that is shown would change.
  init(
    _ erasure: Erasure, of journal: Journal, after restated: EventID? = nil
  ) throws(EventLogError) {
    var found = ErasableEvents(erasure)
    var state: Snapshot?
    if case .field(let field, let place) = erasure {
      let shown = try journal.snapshot().snapshot
      try Self.check(field, of: place, in: shown, path: journal.path)
      found.writes = FieldWrites(shown, field, in: place)
      state = shown
    }
    let ledger = try journal.read(into: &found)
    try found.check(ledger, path: journal.path)
    if case .field(let field, let place) = erasure, let state {
      try leaveShown(of: field, in: place, state, ledger, restated, &found, path: journal.path)
    }
    if case .entity(let entity) = erasure {
      let state = try journal.snapshot(includingDeleted: true).snapshot
      if state.isHidden(entity) {
        // Without it, a late event of a device that was away would bring the entity back.
        let deletion = state.origin(of: "presence", in: entity.description)?.event
        found.events.removeAll { event, _ in deletion.map { ledger.isMeant(event, by: $0) } ?? false
        }
      } else {
        report.deleted = entity
      }
    }
    statements = Self.statements(of: found.events, in: ledger)
    report.events = statements.filter { $0.extent == .whole }.map(\.range)
    report.parts = statements.filter { $0.extent != .whole }.map {
      ledger.shownID(of: $0.range.end)
    }
    report.unheardDevices = ledger.unheardDevices
    report.attachments = found.attachments.sorted()
    released = found.unnamedAttachments
    if report.deleted == nil, restating.isEmpty { try checkStateStays(in: journal) }
  }

  /// Leaves out the events of a field that show its value, and finds what to restate before the
  /// others.
  private mutating func leaveShown(
    of field: String, in place: String, _ state: Snapshot, _ ledger: Ledger, _ restated: EventID?,
    _ found: inout ErasableEvents, path: String
  ) throws(EventLogError) {
    var restatement = Restatement(state, in: place, path: path)
    let shown = state.origin(of: field, in: place)?.event
    if state.isRegister(field, in: place) {
      found.events.removeAll { event, _ in shown.map { ledger.isMeant(event, by: $0) } ?? false }
    } else if let restated {
      let first = ledger.points(named: restated).first
      found.events.removeAll { event, _ in
        guard let first, let point = ledger.locate(event) else { return true }
        return point == first || !ledger.hasSeen(first, point)
      }
    } else if found.events.count == 1, let shown, ledger.isMeant(found.events[0].event, by: shown) {
      found.events = []
    } else if !found.events.isEmpty {
      try restatement.add(field)
    }
    for (event, _) in found.events where restated == nil {
      for other in found.others[event] ?? [] {
        let name = state.fold.fieldText(other)
        let origin = state.origin(of: name, in: place)?.event
        // A counter or a set consists of all its events, and a dated field of those of all days.
        if !state.isRegister(name, in: place) || state.isDated(name, in: place)
          || origin.map({ ledger.isMeant(event, by: $0) }) == true
        {
          try restatement.add(name)
        }
      }
    }
    restating = try restatement.drafts()
    frontier = state.ledger.frontier
    report.restated = restatement.fields
  }

  /// The number of bytes of an event's statements, about half of a line's maximum length.
  private static let statementBytesMax = 1 << 19

  /// The events that state the erasure, and that contents aren't needed any more.
  var drafts: [EventDraft] {
    var (groups, byteCount): ([[Erasures.Statement]], Int) = ([], Self.statementBytesMax)
    for statement in statements {
      // A full ID has at most 90 bytes.
      var bytes = 128
      if case .members(let names) = statement.extent {
        bytes += names.reduce(0) { $0 + $1.count + 3 }
      }
      if byteCount + bytes > Self.statementBytesMax {
        groups.append([])
        byteCount = 0
      }
      groups[groups.count - 1].append(statement)
      byteCount += bytes
    }
    return groups.map { group in
      EventDraft(
        type: "event.erased", data: Erasures.Statement.data(of: group, reason: "person"))
    } + released.map(ContentHashes.releasing)
  }

  /// - Throws: `invalidInput` if a value is contested, or no single event shows it.
  private static func check(
    _ field: String, of place: String, in state: Snapshot, path: String
  ) throws(EventLogError) {
    if state.isContested(field, in: place) {
      throw EventLogError(
        .invalidInput,
        "\"\(field)\" of \"\(place)\" is in conflict, so none of its values is past. Nothing was"
          + " erased.", hint: "Resolve the conflict first.", at: .init(file: path))
    }
    if state.isDated(field, in: place), state.timeline(of: field, in: place).steps.count > 1 {
      throw EventLogError(
        .invalidInput,
        "\"\(field)\" of \"\(place)\" shows its earlier values for earlier days, so they are not"
          + " past. Nothing was erased.", hint: "Erase the whole entity, or single events.",
        at: .init(file: path))
    }
    if state.isRegister(field, in: place) || state.isSet(field, in: place)
      || state.isCounter(field, in: place)
    {
      return
    }
    throw EventLogError(
      .invalidInput,
      "\"\(field)\" of \"\(place)\" was never written, so it has no past values. Nothing was"
        + " erased.", hint: "Check the place and the name of the field.", at: .init(file: path))
  }

  /// Joins neighbors into ranges.
  private static func statements(
    of events: [(event: FullEventID, extent: Erasures.Extent)], in ledger: Ledger
  ) -> [Erasures.Statement] {
    var statements: [Erasures.Statement] = []
    for (event, extent) in events.sorted(by: { $0.event < $1.event }) {
      if let last = statements.last, last.extent == .whole, extent == .whole,
        let point = ledger.locate(event), let before = ledger.before(point),
        ledger.fullID(before) == last.range.end
      {
        statements[statements.count - 1] = .init(EventRange(from: last.range.first, to: event))
      } else {
        statements.append(.init(EventRange(from: event.sequence, to: event), extent))
      }
    }
    return statements
  }

  /// - Throws: `invalidInput` if the state would show something else.
  private func checkStateStays(in journal: Journal) throws(EventLogError) {
    let (before, after) = try journal.states(erasing: statements)
    let sections = before.sections.filter {
      !["conflicts", "contested", "eventCount", "frontier"].contains($0)
        && before.json(sections: [$0]) != after.json(sections: [$0])
    }
    if sections.isEmpty { return }
    throw EventLogError(
      .invalidInput,
      "Erasing this would change what \(sections.sorted().joined(separator: ", ")) show, because a"
        + " shown value or a required one is part of it. Nothing was erased.",
      hint: "Change or delete what is shown first, or erase the whole entity.",
      at: .init(file: journal.path))
  }
}

extension Ledger {
  /// Whether an ID with or without a chain means an event.
  fileprivate func isMeant(_ event: FullEventID, by id: EventID) -> Bool {
    id.chain == nil ? event.shortID == id : event.id == id
  }

  /// The devices whose last event hasn't seen every tip.
  fileprivate var unheardDevices: [DeviceID] {
    let all = tips
    let latest = all.filter { tip in all.allSatisfy { hasSeen(tip, $0) } }
    let known = Set(latest.map { device(of: Int($0.branch)) })
    return Set(all.map { device(of: Int($0.branch)) }).subtracting(known).sorted()
  }
}
