/// Writes a snapshot as the JSON of `project --json`: one object with sorted keys, directly from
/// the fold's cells.
struct SnapshotJSON: ~Copyable {
  /// The names of members that aren't fields.
  private enum Name: Int, CaseIterable {
    case at, base, candidates, completed, contested, date, days, deleted, device, entity, event
    case field, fields, id, kind, shown, unreadable, value
  }

  /// A member of an object.
  private struct Member {
    enum Value {
      case register(Registers.LiveValue)
      case amount(Amount)
      case set(Int32)
      case key(ofEntity: Int32)
      case date(ofRow: Int32)
      case bool(Bool)
      case json(JSONValue)
      case strings([String])
      case fields(ofRow: Int32, defaults: [EventSchema.Assignment])
      case days(ofEntity: Int32)
      case candidates([Conflict.Candidate])
    }

    /// The position of its name in byte order.
    var rank: Int32
    var value: Value
  }

  private let snapshot: Snapshot
  private let fold: Fold
  /// Frequently used members of the fold.
  private let registers: Registers
  private let counters: Counters
  private let entityNames: ByteInterner
  private let ledger: Ledger
  /// The names of the fields, and the names that projections add.
  private var names: ByteInterner
  /// The rank of each name.
  private var ranks: [Int32] = []
  /// The rank of each ``Name``.
  private var nameRanks: [Int32] = []
  /// The names with quotes and colons, by rank.
  private var labels: [[UInt8]] = []
  private(set) var output: [UInt8] = []
  /// Receives the output in pieces, if the caller wants pieces.
  private let emit: (([UInt8]) -> Void)?
  private static let pieceBytes = 1 << 16

  init(_ snapshot: Snapshot, emit: (([UInt8]) -> Void)? = nil) {
    self.emit = emit
    self.snapshot = snapshot
    fold = snapshot.fold
    (registers, counters, entityNames) = (fold.registers, fold.counters, fold.entityNames)
    ledger = snapshot.ledger
    names = fold.fieldNames
    var added = Name.allCases.map { "\($0)" }
    added += fold.catalog.collections.compactMap(\.presentation.daySection?.entityMember)
    for name in added { _ = names.intern(name) }
    let order = (0..<names.count)
      .map { (index: $0, text: StringSpelling.unescaped(names.bytes($0))) }
      .sorted { $0.text.precedes($1.text) }
    ranks = [Int32](repeating: 0, count: names.count)
    for (rank, name) in order.enumerated() { ranks[name.index] = Int32(rank) }
    nameRanks = added[..<Name.allCases.count].map { ranks[names.find($0)!] }
    labels = order.map { Array("\"".utf8) + names.bytes($0.index) + Array("\":".utf8) }
  }

  /// Writes the object with the given sections and the members that are always present.
  mutating func write(sections: Set<String>) {
    var parts: [(name: String, write: (inout SnapshotJSON) -> Void)] = [
      ("eventCount", { $0.append($0.snapshot.eventCount) }),
      ("frontier", { $0.writeFrontier() }),
      ("contested", { $0.writeLists($0.lists($0.fold.contested(row:))) }),
    ]
    let unreadable = lists { fold.unreadable(row: $0, ledger) }
    if !unreadable.isEmpty { parts.append(("unreadable", { $0.writeLists(unreadable) })) }
    if let user = snapshot.user { parts.append(("user", { $0.append(string: user) })) }
    if sections.contains("conflicts") { parts.append(("conflicts", { $0.writeConflicts() })) }
    for (collectionIndex, collection) in fold.catalog.collections.enumerated() {
      if sections.contains(collection.section) {
        parts.append(
          (
            collection.section,
            {
              if collection.isSingleton {
                $0.write($0.fields(ofRow: Int32(collectionIndex)))
              } else {
                $0.writeEntities(collectionIndex, collection.presentation)
              }
            }
          ))
      }
      if let days = collection.presentation.daySection, sections.contains(days.section) {
        parts.append((days.section, { $0.writeDays(collectionIndex, days) }))
      }
    }
    parts.sort { $0.name.precedes($1.name) }
    for (index, part) in parts.enumerated() {
      append(raw: index == 0 ? "{" : ",")
      append(string: part.name)
      append(raw: ":")
      part.write(&self)
    }
    append(raw: "}")
  }

  // MARK: - Entities

  /// The entities of a collection that are shown, sorted by key.
  private func shownEntities(_ collectionIndex: Int) -> [Int32] {
    let includesDeleted = snapshot.includesDeleted
    return fold.sortedByName(
      fold.entities(of: collectionIndex).filter { includesDeleted || !fold.presences.isHidden($0) })
  }

  private mutating func writeEntities(_ collectionIndex: Int, _ presentation: Presentation) {
    let hasDays = fold.catalog.collections[collectionIndex].hasDays
    writeList(shownEntities(collectionIndex)) { writer, entity in
      let row = writer.fold.entities[Int(entity)].row
      var members =
        presentation.isFlat
        ? writer.fields(ofRow: row, defaults: presentation.defaults)
        : [writer.member(.fields, .fields(ofRow: row, defaults: presentation.defaults))]
      members.append(writer.member(.id, .key(ofEntity: entity)))
      if writer.fold.presences.isHidden(entity) {
        members.append(writer.member(.deleted, .bool(true)))
      }
      writer.addNotes(
        on: row, isPresenceContested: writer.fold.presences.isContested(entity), to: &members)
      if hasDays, presentation.daySection == nil {
        members.append(writer.member(.days, .days(ofEntity: entity)))
      }
      writer.write(members)
    }
  }

  // MARK: - Days

  /// The rows of an entity's days, in order.
  private func days(of entity: Int32) -> [Int32] {
    var found: [(day: Int32, row: Int32)] = []
    var row = fold.entities[Int(entity)].firstDay
    while row >= 0 {
      let state = fold.rows[Int(row)]
      if isListed(day: row) { found.append((state.day, row)) }
      row = state.nextDay
    }
    return found.sorted { $0.day < $1.day }.map(\.row)
  }

  private mutating func writeDay(_ row: Int32) {
    var members = [
      member(.date, .date(ofRow: row)), member(.fields, .fields(ofRow: row, defaults: [])),
    ]
    addNotes(on: row, to: &members)
    write(members)
  }

  /// Writes a section with the days of all entities.
  private mutating func writeDays(_ collectionIndex: Int, _ section: Presentation.DaySection) {
    let progressField = Int32(fold.fieldNames.find(section.progressField)!)
    let skipField = section.skipField.map { Int32(fold.fieldNames.find($0)!) }
    let entityRank = ranks[names.find(section.entityMember)!]
    let ruleFields = fold.ruleFields(section)
    var rows: [(row: Int32, progress: Amount?, isCompleted: Bool)] = []
    for entity in shownEntities(collectionIndex) {
      let days = days(of: entity)
      let entries = days.map { row in
        DayRules.Entry(
          day: Day(number: fold.rows[Int(row)].day), value: progress(row, progressField),
          isSkipped: skipField.map { isShown($0, row) } ?? false)
      }
      let rules = fold.dayRules(
        ofRow: fold.entities[Int(entity)].row, ruleFields, registers, ledger)
      for (index, isCompleted) in rules.areCompleted(entries).enumerated() {
        rows.append((days[index], entries[index].value, isCompleted))
      }
    }
    let plain = plainMembers(entityRank, progressRank: ranks[Int(progressField)])
    writeList(rows) { writer, day in
      let row = day.row
      if let progress = day.progress, writer.isPlain(row, progressField) {
        return writer.writePlainDay(row, progress, isCompleted: day.isCompleted, plain)
      }
      let entity = writer.fold.rows[Int(row)].entity
      var members = writer.fields(ofRow: row)
      members.append(writer.member(.date, .date(ofRow: row)))
      members.append(Member(rank: entityRank, value: .key(ofEntity: entity)))
      members.append(writer.member(.completed, .bool(day.isCompleted)))
      writer.addNotes(on: row, to: &members)
      writer.write(members)
    }
  }

  /// Whether the day contains only its uncontested progress, like nearly all days.
  private func isPlain(_ row: Int32, _ progressField: Int32) -> Bool {
    let state = fold.rows[Int(row)]
    guard state.firstRegister < 0, state.firstSet < 0, state.firstCounter >= 0 else { return false }
    let counter = counters.cells[Int(state.firstCounter)]
    return counter.field == progressField && counter.next < 0
      && counters.shown(Int(state.firstCounter), ledger).amount != nil
      && !counters.isContested(Int(state.firstCounter))
  }

  /// A member of a plain day.
  private enum PlainMember { case completed, date, entity, progress }

  /// The members of a plain day in the order of their names, each with the bytes before its value.
  private func plainMembers(
    _ entityRank: Int32, progressRank: Int32
  ) -> [(label: [UInt8], member: PlainMember)] {
    let ranks = [
      (nameRanks[Name.completed.rawValue], PlainMember.completed),
      (nameRanks[Name.date.rawValue], .date), (entityRank, .entity), (progressRank, .progress),
    ]
    return ranks.sorted { $0.0 < $1.0 }.enumerated().map { index, member in
      (Array((index == 0 ? "{" : ",").utf8) + labels[Int(member.0)], member.1)
    }
  }

  /// Writes a plain day, without collecting and sorting its members.
  private mutating func writePlainDay(
    _ row: Int32, _ progress: Amount, isCompleted: Bool,
    _ members: [(label: [UInt8], member: PlainMember)]
  ) {
    for (label, member) in members {
      output += label
      switch member {
      case .completed: append(isCompleted)
      case .date: appendDate(ofRow: row)
      case .entity: appendKey(ofEntity: fold.rows[Int(row)].entity)
      case .progress: progress.write(to: &output)
      }
    }
    append(raw: "}")
  }

  /// Whether a register of a row has a value.
  private func isShown(_ field: Int32, _ row: Int32) -> Bool {
    if fold.rows[Int(row)].firstRegister < 0 { return false }
    let cell = fold.findRegister(row, field)
    return cell >= 0 && isShown(register: Int(cell))
  }

  /// The day's progress, or nil if there is none.
  private func progress(_ row: Int32, _ field: Int32) -> Amount? {
    let cell = counters.find(field, from: fold.rows[Int(row)].firstCounter)
    return cell < 0 ? nil : counters.shown(Int(cell), ledger).amount
  }

  // MARK: - Fields

  /// The fields of a row that are shown, and `defaults` for the others, in no particular order.
  private func fields(ofRow row: Int32, defaults: [EventSchema.Assignment] = []) -> [Member] {
    let state = fold.rows[Int(row)]
    var members: [Member] = []
    members.reserveCapacity(16)
    var cell = state.firstRegister
    while cell >= 0 {
      let register = registers.cells[Int(cell)]
      if isShown(register: Int(cell)) {
        let shown = registers.shown(Int(cell), ledger)
        members.append(Member(rank: ranks[Int(register.field)], value: .register(shown)))
      }
      cell = register.next
    }
    cell = state.firstCounter
    while cell >= 0 {
      let counter = counters.cells[Int(cell)]
      if let amount = counters.shown(Int(cell), ledger).amount {
        members.append(Member(rank: ranks[Int(counter.field)], value: .amount(amount)))
      }
      cell = counter.next
    }
    cell = state.firstSet
    while cell >= 0 {
      let set = fold.sets.cells[Int(cell)]
      members.append(Member(rank: ranks[Int(set.field)], value: .set(cell)))
      cell = set.next
    }
    let writtenCount = members.count
    for value in defaults {
      let rank = ranks[names.find(value.field)!]
      if !members[..<writtenCount].contains(where: { $0.rank == rank }) {
        members.append(Member(rank: rank, value: .json(value.value)))
      }
    }
    return members
  }

  /// Does the same as ``Fold/isShown(register:_:)``, without copying the registers out of the fold.
  private func isShown(register cell: Int) -> Bool {
    if !fold.doubtfulRegisters.isEmpty { return fold.isShown(register: cell, ledger) }
    let register = registers.cells[cell]
    if registers.showsNull(cell, ledger) { return false }
    return fold.rows[Int(register.row)].firstSet < 0
      || fold.findSet(register.row, register.field) == nil
  }

  /// Does the same as ``Fold/isListed(day:_:)``: nearly all days have a progress.
  private func isListed(day row: Int32) -> Bool {
    let counter = fold.rows[Int(row)].firstCounter
    if counter >= 0, counters.shown(Int(counter), ledger) != .none { return true }
    return fold.isListed(day: row, ledger)
  }

  /// The names of a row's contested fields, in no particular order.
  private func contested(_ row: Int32) -> [String] {
    // Nearly all rows have no field with several values.
    let state = fold.rows[Int(row)]
    var cell = state.firstRegister
    while cell >= 0 {
      let register = registers.cells[Int(cell)]
      if register.others >= 0 { return fold.contested(row: row) }
      cell = register.next
    }
    cell = state.firstCounter
    while cell >= 0 {
      let counter = counters.cells[Int(cell)]
      if counter.mayBeContested { return fold.contested(row: row) }
      cell = counter.next
    }
    return []
  }

  /// Adds the lists of contested and of unreadable fields, if there are any.
  private func addNotes(
    on row: Int32, isPresenceContested: Bool = false, to members: inout [Member]
  ) {
    let contested = contested(row) + (isPresenceContested ? ["presence"] : [])
    if !contested.isEmpty { members.append(member(.contested, .strings(contested))) }
    let hasCounters = fold.rows[Int(row)].firstCounter >= 0
    let unreadable =
      hasCounters || !fold.doubtfulRegisters.isEmpty ? fold.unreadable(row: row, ledger) : []
    if !unreadable.isEmpty { members.append(member(.unreadable, .strings(unreadable))) }
  }

  /// The lists of names for singletons that have any, by section.
  private func lists(
    _ names: (Int32) -> [String]
  ) -> [(section: String, names: [String])] {
    var found: [(section: String, names: [String])] = []
    for (index, collection) in fold.catalog.collections.enumerated() where collection.isSingleton {
      let names = names(Int32(index))
      if !names.isEmpty { found.append((collection.section, names)) }
    }
    return found.sorted { $0.section.precedes($1.section) }
  }

  private mutating func writeLists(_ found: [(section: String, names: [String])]) {
    append(raw: "{")
    for (index, part) in found.enumerated() {
      if index > 0 { append(raw: ",") }
      append(string: part.section)
      append(raw: ":")
      append(strings: part.names)
    }
    append(raw: "}")
  }

  // MARK: - Frontier and conflicts

  private mutating func writeFrontier() {
    writeList(snapshot.frontier.tips) { $0.append(string: $1.description) }
  }

  private mutating func writeConflicts() {
    writeList(snapshot.conflicts) { writer, conflict in
      var members = [
        writer.member(.id, conflict.id), writer.member(.entity, conflict.entity),
        writer.member(.field, conflict.field), writer.member(.kind, conflict.kind.rawValue),
        writer.member(.candidates, .candidates(conflict.candidates)),
      ]
      if let base = conflict.base { members.append(writer.member(.base, .json(base))) }
      if let shown = conflict.shown {
        members.append(writer.member(.shown, shown.description))
      }
      writer.write(members)
    }
  }

  private mutating func append(_ candidates: [Conflict.Candidate]) {
    writeList(candidates) { writer, candidate in
      writer.write([
        writer.member(.event, candidate.event.description),
        writer.member(.device, candidate.event.device.text),
        writer.member(.at, candidate.at.description),
        writer.member(.value, .json(candidate.value)),
      ])
    }
  }

  // MARK: - Objects and lists

  private func member(_ name: Name, _ value: Member.Value) -> Member {
    Member(rank: nameRanks[name.rawValue], value: value)
  }

  private func member(_ name: Name, _ text: String) -> Member {
    member(name, .json(.string(text)))
  }

  /// Writes an object, with its members sorted by name.
  private mutating func write(_ members: [Member]) {
    var isFirst = true
    append(raw: "{")
    for member in members.sorted(by: { $0.rank < $1.rank }) {
      if !isFirst { append(raw: ",") }
      isFirst = false
      output += labels[Int(member.rank)]
      append(member.value)
    }
    append(raw: "}")
  }

  private mutating func append(_ value: Member.Value) {
    switch value {
    case .register(let value): output += registers.bytes(value)
    case .amount(let amount): amount.write(to: &output)
    case .set(let cell): append(strings: fold.sets.members(Int(cell)))
    case .key(let entity): appendKey(ofEntity: entity)
    case .date(let row): appendDate(ofRow: row)
    case .bool(let value): append(value)
    case .json(let value): value.write(to: &output)
    case .strings(let strings): append(strings: strings)
    case .fields(let row, let defaults): write(fields(ofRow: row, defaults: defaults))
    case .days(let entity): writeList(days(of: entity)) { $0.writeDay($1) }
    case .candidates(let candidates): append(candidates)
    }
  }

  private mutating func writeList<Element>(
    _ elements: [Element], _ write: (inout SnapshotJSON, Element) -> Void
  ) {
    append(raw: "[")
    for (index, element) in elements.enumerated() {
      if index > 0 { append(raw: ",") }
      write(&self, element)
      if output.count > Self.pieceBytes, let emit {
        emit(output)
        output.removeAll(keepingCapacity: true)
      }
    }
    append(raw: "]")
  }

  // MARK: - Bytes

  private mutating func append(raw text: StaticString) {
    text.withUTF8Buffer { output.append(contentsOf: $0) }
  }

  private mutating func append(_ value: Bool) { append(raw: value ? "true" : "false") }

  /// - Parameter value: A number that isn't negative.
  private mutating func append(_ value: Int) { output.append(digitsOf: value) }

  private mutating func append(string: String) {
    JSONValue.write(string: string.utf8, to: &output)
  }

  private mutating func append(strings: [String]) {
    writeList(strings.sorted { $0.precedes($1) }) { $0.append(string: $1) }
  }

  private mutating func appendKey(ofEntity entity: Int32) {
    let name = entityNames.bytes(Int(entity))
    append(raw: "\"")
    if let slash = name.firstIndex(of: UInt8(ascii: "/")) { output += name[(slash + 1)...] }
    append(raw: "\"")
  }

  private mutating func appendDate(ofRow row: Int32) {
    append(raw: "\"")
    Day(number: fold.rows[Int(row)].day).write(to: &output)
    append(raw: "\"")
  }
}

extension Snapshot {
  /// The names of all sections, with the conflicts last.
  public var sections: [String] { catalog.sections }

  /// Returns the state as the JSON that `eventlog project --json` prints.
  ///
  /// The result is a single object in UTF-8, with sorted keys and without white space.
  ///
  /// - Parameter sections: The ``sections`` to include, or `nil` for all of them. Unknown names are
  ///   ignored.
  /// - Complexity: O(*n* log *n*), where *n* is the size of the state.
  public func json(sections: Set<String>? = nil) -> [UInt8] {
    var writer = SnapshotJSON(self)
    writer.write(sections: sections ?? Set(self.sections))
    return writer.output
  }

  /// Writes the state as JSON, in pieces of about 64 KiB.
  ///
  /// Use this method instead of ``json(sections:)`` for a large state, so that it isn't in memory
  /// twice.
  ///
  /// - Parameters:
  ///   - sections: The ``sections`` to include, or `nil` for all of them. Unknown names are
  ///     ignored.
  ///   - body: A closure that receives each piece, in order.
  /// - Complexity: O(*n* log *n*), where *n* is the size of the state.
  public func writeJSON(sections: Set<String>? = nil, to body: @escaping ([UInt8]) -> Void) {
    var writer = SnapshotJSON(self, emit: body)
    writer.write(sections: sections ?? Set(self.sections))
    body(writer.output)
  }
}
