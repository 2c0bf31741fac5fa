/// Writes a snapshot as the JSON of `project --json`: one object with sorted keys, directly from
/// the fold's cells.
struct SnapshotJSON: ~Copyable {
  /// A member of the object being written: the position of its name, and its value.
  private struct Entry {
    enum Value {
      case register(Int32)
      case counter(Int32)
      case set(Int32)
      /// Bytes of `spelled`.
      case spelled(Range<Int>)
    }

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
  private var ranks: [Int32] = []
  private(set) var output: [UInt8] = []
  /// Receives the output in pieces, if the caller wants pieces.
  private let emit: (([UInt8]) -> Void)?
  private static let pieceBytes = 1 << 16
  private var entries: [Entry] = []
  /// Values of `entries` that no cell contains.
  private var spelled: [UInt8] = []

  init(_ snapshot: Snapshot, emit: (([UInt8]) -> Void)? = nil) {
    self.emit = emit
    self.snapshot = snapshot
    fold = snapshot.fold
    (registers, counters, entityNames) = (fold.registers, fold.counters, fold.entityNames)
    ledger = snapshot.ledger
    names = fold.fieldNames
    var added = [
      "at", "base", "candidates", "completed", "contested", "date", "days", "deleted", "device",
      "entity",
      "event", "field", "fields", "id", "kind", "shown", "value",
    ]
    added += fold.catalog.collections.compactMap(\.presentation.daySection?.entityMember)
    for name in added { _ = names.intern(name) }
    let order = (0..<names.count)
      .map { (index: $0, text: StringSpelling.unescaped(names.bytes($0))) }
      .sorted { $0.text.precedes($1.text) }
    ranks = [Int32](repeating: 0, count: names.count)
    for (rank, name) in order.enumerated() { ranks[name.index] = Int32(rank) }
  }

  /// Writes the object with the given sections and the members that are always present.
  mutating func write(sections: Set<String>) {
    var parts: [(name: String, write: (inout SnapshotJSON) -> Void)] = [
      ("eventCount", { $0.append($0.snapshot.eventCount) }),
      ("frontier", { $0.writeFrontier() }),
      ("contested", { $0.writeContestedSingletons() }),
    ]
    if let user = snapshot.user { parts.append(("user", { $0.append(string: user) })) }
    if sections.contains("conflicts") { parts.append(("conflicts", { $0.writeConflicts() })) }
    for (collectionIndex, collection) in fold.catalog.collections.enumerated() {
      if sections.contains(collection.section) {
        parts.append(
          (
            collection.section,
            {
              if collection.isSingleton {
                $0.begin()
                $0.addFields(row: Int32(collectionIndex))
                $0.end()
              } else {
                $0.writeEntities(collectionIndex, collection)
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

  // MARK: - Entities and days

  /// The entities of a collection that are shown, sorted by key.
  private func shownEntities(_ collectionIndex: Int) -> [Int32] {
    let includesDeleted = snapshot.includesDeleted
    return fold.sortedByName(
      fold.entities(of: collectionIndex).filter { includesDeleted || !fold.presences.isHidden($0) })
  }

  private mutating func appendKey(of entity: Int32) {
    append(raw: "\"")
    output += entityNames.bytes(Int(entity)).drop { $0 != UInt8(ascii: "/") }.dropFirst()
    append(raw: "\"")
  }

  private func days(of entity: Int32) -> [Int32] {
    // Includes the days: a closure that looks them up would copy this large writer.
    var found: [(day: Int32, row: Int32)] = []
    var row = fold.entities[Int(entity)].firstDay
    while row >= 0 {
      found.append((fold.rows[Int(row)].day, row))
      row = fold.rows[Int(row)].nextDay
    }
    return found.sorted { $0.day < $1.day }.map(\.row)
  }

  private mutating func writeEntities(_ collectionIndex: Int, _ collection: CollectionSchema) {
    writeList(shownEntities(collectionIndex)) { writer, entity in
      let row = writer.fold.entities[Int(entity)].row
      writer.begin()
      writer.add("id") { $0.appendKey(of: entity) }
      if writer.fold.presences.isHidden(entity) {
        writer.add("deleted") { $0.append(raw: "true") }
      }
      var contested = writer.fold.contested(row: row)
      if writer.fold.presences.isContested(entity) { contested.append("presence") }
      writer.addContested(contested)
      let defaults = collection.presentation.defaults
      if collection.presentation.isFlat {
        writer.addFields(row: row, defaults: defaults)
      } else {
        writer.add("fields") { inner in
          inner.begin()
          inner.addFields(row: row, defaults: defaults)
          inner.end()
        }
      }
      if collection.hasDays, collection.presentation.daySection == nil {
        writer.add("days") { $0.writeList($0.days(of: entity)) { $0.writeDay($1) } }
      }
      writer.end()
    }
  }

  private mutating func writeDay(_ row: Int32) {
    begin()
    add("date") { $0.append(day: row) }
    add("fields") { inner in
      inner.begin()
      inner.addFields(row: row)
      inner.end()
    }
    addContested(fold.contested(row: row))
    end()
  }

  /// Writes a section with the days of all entities.
  private mutating func writeDays(_ collectionIndex: Int, _ section: Presentation.DaySection) {
    let progressField = Int32(fold.fieldNames.find(section.progressField)!)
    let goalField = Int32(fold.fieldNames.find(section.goalField)!)
    var rows: [(row: Int32, goal: Int64)] = []
    for entity in shownEntities(collectionIndex) {
      let goal = goal(of: entity, goalField)
      for row in days(of: entity) { rows.append((row, goal)) }
    }
    let plainNames = ["completed", "date", section.entityMember, section.progressField]
      .sorted { $0.precedes($1) }
    writeList(rows) { writer, day in
      let row = day.row
      if writer.isPlain(row, progressField) {
        return writer.writePlainDay(row, goal: day.goal, plainNames, section)
      }
      writer.begin()
      writer.add("date") { $0.append(day: row) }
      writer.add(section.entityMember) { $0.appendKey(of: $0.fold.rows[Int(row)].entity) }
      let progress = writer.progress(row, progressField)
      writer.add("completed") { $0.append(raw: (progress ?? 0) >= day.goal ? "true" : "false") }
      if progress == nil { writer.add(section.progressField) { $0.append(raw: "0") } }
      writer.addContested(writer.fold.contested(row: row))
      writer.addFields(row: row)
      writer.end()
    }
  }

  /// Whether the day contains only its uncontested progress, like nearly all days.
  private func isPlain(_ row: Int32, _ progressField: Int32) -> Bool {
    let state = fold.rows[Int(row)]
    guard state.firstRegister < 0, state.firstSet < 0, state.firstCounter >= 0 else { return false }
    let counter = counters.cells[Int(state.firstCounter)]
    return counter.field == progressField && counter.next < 0
      && !counters.isContested(Int(state.firstCounter))
  }

  /// Writes a plain day, without collecting and sorting its members.
  private mutating func writePlainDay(
    _ row: Int32, goal: Int64, _ names: [String], _ section: Presentation.DaySection
  ) {
    let state = fold.rows[Int(row)]
    let progress = counters.shown(Int(state.firstCounter), ledger)
    for (index, name) in names.enumerated() {
      append(raw: index == 0 ? "{" : ",")
      append(string: name)
      append(raw: ":")
      if name == section.progressField {
        append(Int(progress))
      } else if name == section.entityMember {
        appendKey(of: state.entity)
      } else if name == "date" {
        append(day: row)
      } else {
        append(raw: progress >= goal ? "true" : "false")
      }
    }
    append(raw: "}")
  }

  private func goal(of entity: Int32, _ field: Int32) -> Int64 {
    let cell = fold.findRegister(fold.entities[Int(entity)].row, field)
    guard cell >= 0 else { return 1 }
    let bytes = registers.bytes(registers.shown(Int(cell), ledger))
    return Int64(String(decoding: bytes, as: UTF8.self)) ?? 1
  }

  /// The day's progress, or nil if none was written.
  private func progress(_ row: Int32, _ field: Int32) -> Int64? {
    var cell = fold.rows[Int(row)].firstCounter
    while cell >= 0 {
      if counters.cells[Int(cell)].field == field {
        return counters.shown(Int(cell), ledger)
      }
      cell = counters.cells[Int(cell)].next
    }
    return nil
  }

  // MARK: - Fields

  /// Adds the fields of a row that are shown, and `defaults` for the others.
  private mutating func addFields(row: Int32, defaults: [EventSchema.Assignment] = []) {
    let first = entries.count
    let state = fold.rows[Int(row)]
    var cell = state.firstRegister
    while cell >= 0 {
      let register = registers.cells[Int(cell)]
      let shown = registers.bytes(registers.shown(Int(cell), ledger))
      let isNull = shown.first == UInt8(ascii: "n")
      if !isNull, state.firstSet < 0 || fold.findSet(row, register.field) == nil {
        entries.append(Entry(rank: ranks[Int(register.field)], value: .register(cell)))
      }
      cell = register.next
    }
    cell = state.firstCounter
    while cell >= 0 {
      let counter = counters.cells[Int(cell)]
      entries.append(Entry(rank: ranks[Int(counter.field)], value: .counter(cell)))
      cell = counter.next
    }
    cell = state.firstSet
    while cell >= 0 {
      let set = fold.sets.cells[Int(cell)]
      entries.append(Entry(rank: ranks[Int(set.field)], value: .set(cell)))
      cell = set.next
    }
    for value in defaults {
      let rank = ranks[names.find(value.field)!]
      if !entries[first...].contains(where: { $0.rank == rank }) {
        add(value.field) { $0.append(json: value.value) }
      }
    }
  }

  private mutating func addContested(_ names: [String]) {
    if names.isEmpty { return }
    add("contested") { $0.append(strings: names) }
  }

  private mutating func writeContestedSingletons() {
    var found: [(section: String, names: [String])] = []
    for (index, collection) in fold.catalog.collections.enumerated() where collection.isSingleton {
      let names = fold.contested(row: Int32(index))
      if !names.isEmpty { found.append((collection.section, names)) }
    }
    found.sort { $0.section.precedes($1.section) }
    writeObject(found.map { part in (part.section, { $0.append(strings: part.names) }) })
  }

  // MARK: - Frontier and conflicts

  private mutating func writeFrontier() {
    writeList(snapshot.frontier.tips) { $0.append(string: $1.description) }
  }

  private mutating func writeConflicts() {
    writeList(snapshot.conflicts) { writer, conflict in
      writer.begin()
      writer.add("id") { $0.append(string: conflict.id) }
      writer.add("entity") { $0.append(string: conflict.entity) }
      writer.add("field") { $0.append(string: conflict.field) }
      writer.add("kind") { $0.append(string: conflict.kind.rawValue) }
      if let base = conflict.base { writer.add("base") { $0.append(json: base) } }
      if let shown = conflict.shown {
        writer.add("shown") { $0.append(string: shown.description) }
      }
      writer.add("candidates") {
        $0.writeList(conflict.candidates) { writer, candidate in
          writer.begin()
          writer.add("event") { $0.append(string: candidate.event.description) }
          writer.add("device") { $0.append(string: candidate.event.device.text) }
          writer.add("at") { $0.append(string: candidate.at.description) }
          writer.add("value") { $0.append(json: candidate.value) }
          writer.end()
        }
      }
      writer.end()
    }
  }

  // MARK: - Objects and lists

  /// The start of each open object in `entries`.
  private var starts: [Int] = []

  private mutating func begin() { starts.append(entries.count) }

  /// Adds a member whose value `write` appends.
  private mutating func add(_ name: String, _ write: (inout SnapshotJSON) -> Void) {
    let start = output.count
    write(&self)
    let kept = spelled.count
    spelled += output[start...]
    output.removeSubrange(start...)
    entries.append(
      Entry(rank: ranks[names.find(name)!], value: .spelled(kept..<spelled.count)))
  }

  /// Writes the object whose members were added since `begin`, sorted by name.
  private mutating func end() {
    let start = starts.removeLast()
    entries[start...].sort { $0.rank < $1.rank }
    append(raw: "{")
    for index in start..<entries.count {
      if index > start { append(raw: ",") }
      append(raw: "\"")
      output += names.bytes(nameIndex(ofRank: entries[index].rank))
      append(raw: "\":")
      append(entries[index].value)
    }
    append(raw: "}")
    entries.removeSubrange(start...)
    if starts.isEmpty { spelled.removeAll(keepingCapacity: true) }
  }

  private mutating func append(_ value: Entry.Value) {
    switch value {
    case .register(let cell):
      output += registers.bytes(registers.shown(Int(cell), ledger))
    case .counter(let cell): append(Int(counters.shown(Int(cell), ledger)))
    case .set(let cell): append(strings: fold.sets.members(Int(cell)))
    case .spelled(let range): output += spelled[range]
    }
  }

  private mutating func writeList<Element>(
    _ elements: [Element], _ write: (inout SnapshotJSON, Element) -> Void
  ) {
    append(raw: "[")
    for (index, element) in elements.enumerated() {
      if index > 0 { append(raw: ",") }
      write(&self, element)
      if starts.isEmpty, output.count > Self.pieceBytes, let emit {
        emit(output)
        output.removeAll(keepingCapacity: true)
      }
    }
    append(raw: "]")
  }

  /// Writes an object whose names are not fields and are already sorted.
  private mutating func writeObject(
    _ members: [(name: String, write: (inout SnapshotJSON) -> Void)]
  ) {
    append(raw: "{")
    for (index, member) in members.enumerated() {
      if index > 0 { append(raw: ",") }
      append(string: member.name)
      append(raw: ":")
      member.write(&self)
    }
    append(raw: "}")
  }

  // MARK: - Bytes

  private var namesByRank: [Int] = []

  private mutating func nameIndex(ofRank rank: Int32) -> Int {
    if namesByRank.isEmpty {
      namesByRank = [Int](repeating: 0, count: ranks.count)
      for (index, rank) in ranks.enumerated() { namesByRank[Int(rank)] = index }
    }
    return namesByRank[Int(rank)]
  }

  private mutating func append(raw text: StaticString) {
    text.withUTF8Buffer { output.append(contentsOf: $0) }
  }

  private mutating func append(_ value: Int) { output += String(value).utf8 }

  private mutating func append(json value: JSONValue) { value.write(to: &output) }

  private mutating func append(string: String) {
    JSONValue.write(string: string.utf8, to: &output)
  }

  private mutating func append(strings: [String]) {
    let sorted = strings.sorted { $0.precedes($1) }
    writeList(sorted) { $0.append(string: $1) }
  }

  private mutating func append(day row: Int32) {
    append(raw: "\"")
    output += Day(number: fold.rows[Int(row)].day).description.utf8
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
