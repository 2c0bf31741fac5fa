import EventLog

/// The statements that an erasure needs, as found in a journal.
struct ErasurePlan: Sendable {
  private(set) var statements: [Erasures.Statement] = []
  private(set) var report = ErasureReport()

  /// - Throws: `noEvent`, `noEntity`, or `invalidInput` if something that is shown would change.
  init(_ erasure: Erasure, of journal: Journal) throws(EventLogError) {
    var found = ErasableEvents(erasure)
    let ledger = try journal.read(into: &found)
    try found.check(ledger, path: journal.path)
    if case .field(let field, let place) = erasure {
      let state = try journal.snapshot().snapshot
      try Self.check(field, of: place, in: state, path: journal.path)
      let shown = state.origin(of: field, in: place)?.event
      found.events.removeAll { event, _ in shown.map { ledger.isMeant(event, by: $0) } ?? false }
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
    if report.deleted == nil { try checkStateStays(in: journal) }
  }

  /// The number of bytes of an event's statements, about half of a line's maximum length.
  private static let statementBytesMax = 1 << 19

  /// The events that state the erasure.
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
    }
  }

  /// - Throws: `invalidInput` if a value is contested, or no single event shows it.
  private static func check(
    _ field: String, of place: String, in state: Snapshot, path: String
  ) throws(EventLogError) {
    let isContested = state.conflicts.contains {
      $0.entity.utf8.elementsEqual(place.utf8) && $0.field.utf8.elementsEqual(field.utf8)
    }
    if isContested {
      throw EventLogError(
        .invalidInput,
        "\"\(field)\" of \"\(place)\" is in conflict, so none of its values is past. Nothing was"
          + " erased.", hint: "Resolve the conflict first.", at: .init(file: path))
    }
    guard state.isRegister(field, in: place) else {
      throw EventLogError(
        .invalidInput,
        "\"\(field)\" of \"\(place)\" has no past values to erase: it is not a field with one"
          + " value. Nothing was erased.",
        hint: "Counters and sets consist of all their events: erase the whole entity.",
        at: .init(file: path))
    }
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
