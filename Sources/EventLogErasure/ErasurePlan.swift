import EventLog
import EventLogAttachments
import EventLogUndo

/// The statements that an erasure needs, as found in a journal.
struct ErasurePlan: Sendable {
  private(set) var statements: [Erasures.Statement] = []
  var report = ErasureReport()
  /// The events to append first, on top of what the plan was made from.
  private(set) var restating: [EventDraft] = []
  /// The ledger of the reading that the plan was made from.
  let ledger: Ledger
  /// The attachments that nothing names any more after the erasure.
  private var released: [String] = []

  /// - Throws: `noEvent`; `noEntity`, also if the collection isn't declared; `invalidInput` if
  ///   something that is shown would change.
  /// - Complexity: O(*n*), where *n* is the size of the file. It is read twice, or once if values
  ///   have to be written again first, or an entity deleted.
  init(_ erasure: Erasure, of journal: Journal) throws(EventLogError) {
    var found = ErasableEvents(erasure, journal.catalog)
    ledger = try journal.read(into: &found)
    try found.checkIsDeclared(path: journal.path)
    let state = Snapshot(fold: found.fold, ledger: ledger, damage: [], bases: ConflictBases())
    if case .field(let field, let place) = erasure {
      try Self.check(field, of: place, in: state, path: journal.path)
      found.examineCandidates(in: state)
    }
    try found.check(ledger, path: journal.path)
    if let conflict = found.conflict(in: state) {
      throw Self.contested(conflict.field, of: conflict.entity, path: journal.path)
    }
    switch erasure {
    case .field(let field, let place):
      try leaveShown(of: field, in: place, state, &found, path: journal.path)
    case .entity(let entity) where state.isHidden(entity):
      // Without it, a late event of a device that was away would bring the entity back.
      let deletion = state.origin(of: "presence", in: entity.description)?.event
      found.leaveOut(deletion, ledger)
    case .entity(let entity): report.deleted = entity
    case .events: break
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
    of field: String, in place: String, _ state: Snapshot, _ found: inout ErasableEvents,
    path: String
  ) throws(EventLogError) {
    var restatement = Restatement(state, in: place, path: path)
    let shown = state.origin(of: field, in: place)?.event
    if state.isRegister(field, in: place) {
      found.leaveOut(shown, ledger)
    } else if found.events.count == 1, let shown, ledger.isMeant(found.events[0].event, by: shown) {
      found.events = []
    } else if isShown(found, as: field, in: place, state) {
      found.events = []
    } else if !found.events.isEmpty {
      try restatement.add(field)
    }
    for (event, _) in found.events {
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
    report.restated = restatement.fields
  }

  /// Whether everything that events wrote of a set is still in it.
  ///
  /// A set of many members may need several events.
  private func isShown(
    _ found: ErasableEvents, as field: String, in place: String, _ state: Snapshot
  ) -> Bool {
    state.isSet(field, in: place)
      && found.events.allSatisfy { event, _ in
        guard let members = found.inclusions[event] else { return false }
        return state.shows(members, of: field, in: place, from: event)
      }
  }

  /// The plan after the values were written again.
  ///
  /// - Throws: `invalidInput` if something that is shown would change.
  func restated(in journal: Journal) throws(EventLogError) -> ErasurePlan {
    try checkStateStays(in: journal)
    var plan = self
    plan.restating = []
    return plan
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

  private static func contested(
    _ field: String, of place: String, path: String
  ) -> EventLogError {
    EventLogError(
      .invalidInput,
      "\"\(field)\" of \"\(place)\" is in conflict, so none of its values is past. Nothing was"
        + " erased.", hint: "Resolve the conflict first.", at: .init(file: path))
  }

  /// - Throws: `invalidInput` if a value is contested, or no single event shows it.
  private static func check(
    _ field: String, of place: String, in state: Snapshot, path: String
  ) throws(EventLogError) {
    if state.isContested(field, in: place) { throw contested(field, of: place, path: path) }
    if state.isDated(field, in: place), state.timeline(of: field, in: place).steps.count > 1 {
      throw EventLogError(
        .invalidInput,
        "\"\(field)\" of \"\(place)\" shows its earlier values for earlier days, so they are not"
          + " past. Nothing was erased.", hint: "Erase the whole entity, or single events.",
        at: .init(file: path))
    }
    if state.isWritten(field, in: place) { return }
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
    let (before, after) = try journal.states(erasing: statements, knowing: ledger)
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
  func isMeant(_ event: FullEventID, by id: EventID) -> Bool {
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
