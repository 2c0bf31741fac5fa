extension Fold {
  /// The version of the rules and of the stored form. States of other versions aren't read.
  ///
  /// Raise it with every change to the effect of events on the state, or to these tables.
  static let rulesVersion = 19

  /// Identifies the rules and the catalog that a stored state was made with.
  package static func definition(_ catalog: SchemaCatalog) -> [UInt8] {
    catalog.memo.value { FoldDefinition(catalog.collections) }.bytes
  }

  /// Divides the tables into pages that copies share until they change them.
  ///
  /// A store hands out a copy after every append.
  package mutating func paginate() {
    TableVisitor.share { (visitor) throws(ColumnFault) in try forEachTable(&visitor) }
  }

  /// Writes the state.
  ///
  /// - Parameter ledger: The ledger of the same reading.
  package func bytes(_ ledger: Ledger) -> [UInt8] {
    var state = self
    return TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try state.forEachTable(&visitor, ledger)
    }
  }

  /// Reads and paginates a state that was made with the same catalog.
  ///
  /// - Parameter events: The sequences of the events in each branch of the state's ledger.
  package init(
    _ catalog: SchemaCatalog, from bytes: ArraySlice<UInt8>, events: [ClosedRange<Int64>]
  ) throws(ColumnFault) {
    let blank = Fold(catalog)
    self = try TableVisitor.read(bytes, events: events) { (visitor) throws(ColumnFault) in
      var state = blank
      try state.forEachTable(&visitor)
      return state
    }
    paginate()
  }

  /// - Parameter ledger: Needed only for writing.
  private mutating func forEachTable(
    _ visitor: inout TableVisitor, _ ledger: Ledger? = nil
  ) throws(ColumnFault) {
    try visitor.number(&eventCount)
    var hasRefs = refs != nil
    try visitor.flag(&hasRefs)
    if hasRefs {
      if refs == nil { refs = ByteInterner() }
      try visitor.names(&refs!)
    }
    try planner.forEachTable(&visitor)
    try visitor.names(&entityNames)
    visitor.derived(&entities)
    if visitor.isReading { try addEntities() }
    let entityCount = entities.count
    try visitor.table(
      &rows, Row(entity: -1, day: Row.noDay),
      [
        Column(\.entity, below: entityCount, orNone: true),
        Column(\.day, in: Int64(Row.noDay)...Day.range.upperBound),
      ])
    if visitor.isReading { try linkRows() }
    try forEachValueTable(&visitor, ledger)
    try datedValues.forEachTable(&visitor, registerCount: registers.cells.count)
    try sets.forEachTable(&visitor, rowCount: rows.count, fieldCount: fieldNames.count)
    if visitor.isReading {
      try setTable.add(sets.cells)
      linkCells()
    }
    try forEachDoubtfulRegister(&visitor)
    try presences.forEachTable(
      &visitor, entityCount: entityCount, typeCount: typeNames.count)
    visitor.derived(&registerTable)
    visitor.derived(&dayTable)
    visitor.derived(&setTable)
  }

  private struct DoubtfulRegister: BitwiseCopyable { var cell: Int32 = 0 }

  private mutating func forEachDoubtfulRegister(
    _ visitor: inout TableVisitor
  ) throws(ColumnFault) {
    if visitor.task == .sharing { return }
    var rows = doubtfulRegisters.sorted().map { DoubtfulRegister(cell: $0) }
    try visitor.rows(
      &rows, DoubtfulRegister(), [Column(\.cell, below: registers.cells.count)])
    if visitor.isReading { doubtfulRegisters = Set(rows.map(\.cell)) }
  }

  /// Visits registers and counters, the largest part of a state. Large ones are read in parallel.
  private mutating func forEachValueTable(
    _ visitor: inout TableVisitor, _ ledger: Ledger?
  ) throws(ColumnFault) {
    let (rowCount, fieldCount) = (rows.count, fieldNames.count)
    guard visitor.isReading else {
      try visitor.part { (visitor) throws(ColumnFault) in
        try registers.forEachTable(&visitor, rowCount, fieldCount, ledger)
      }
      return try visitor.part { (visitor) throws(ColumnFault) in
        try counters.forEachTable(&visitor, rowCount, fieldCount, ledger)
      }
    }
    let (registerBytes, counterBytes) = (try visitor.partBytes(), try visitor.partBytes())
    let events = visitor.events
    func readRegisters() throws(ColumnFault) {
      try TableVisitor.read(registerBytes, events: events) { (visitor) throws(ColumnFault) in
        try registers.forEachTable(&visitor, rowCount, fieldCount, nil)
      }
      try registerTable.add(registers.cells)
    }
    @Sendable func readCounters() throws(ColumnFault) -> Counters {
      try TableVisitor.read(counterBytes, events: events) { (visitor) throws(ColumnFault) in
        var counters = Counters()
        try counters.forEachTable(&visitor, rowCount, fieldCount, nil)
        return counters
      }
    }
    if min(registerBytes.count, counterBytes.count) < Self.bytesAtOnceMin {
      try readRegisters()
      counters = try readCounters()
    } else {
      counters = try SerialWorker(label: "eventlog.counters")
        .both(there: readCounters, here: readRegisters).there
    }
  }

  /// Reading fewer bytes takes no longer than waking a thread.
  private static let bytesAtOnceMin = 1 << 16

  // MARK: - Derived state

  private mutating func addEntities() throws(ColumnFault) {
    entities.reserve(entityNames.count)
    var known: (kind: ArraySlice<UInt8>, collection: Int32) = ([], -1)
    for index in 0..<entityNames.count {
      let name = entityNames.bytes(index)
      guard EntityID.isValid(name), let slash = name.firstIndex(of: UInt8(ascii: "/")) else {
        throw ColumnFault()
      }
      let kind = name[..<slash]
      if kind != known.kind {
        let text = String(decoding: kind, as: UTF8.self)
        known = (kind, Int32(compiled.collection(ofKind: text)))
      }
      addEntity(of: known.collection)
    }
  }

  /// Links rows to their entities, in the order in which the fold made them.
  private mutating func linkRows() throws(ColumnFault) {
    let singletonCount = catalog.collections.count
    guard rows.count >= singletonCount else { throw ColumnFault() }
    dayTable.reserve(rows.indices.count { rows[$0].day != Row.noDay })
    for index in rows.indices {
      let (entity, day) = (rows[index].entity, rows[index].day)
      guard (entity < 0) == (index < singletonCount) else { throw ColumnFault() }
      if entity < 0 {
        guard day == Row.noDay else { throw ColumnFault() }
        continue
      }
      var state = entities[Int(entity)]
      guard state.collection >= 0 else { throw ColumnFault() }
      if day == Row.noDay {
        guard state.row < 0 else { throw ColumnFault() }
        state.row = Int32(index)
      } else {
        guard state.row >= 0, Day.range.contains(Int64(day)),
          dayTable.insertIfNew(entity, day, Int32(index))
        else { throw ColumnFault() }
        rows.update(index) { $0.nextDay = state.firstDay }
        state.firstDay = Int32(index)
      }
      entities[Int(entity)] = state
    }
  }

  /// Links registers, counters and sets to their rows.
  private mutating func linkCells() {
    // Swapped out to avoid overlapping accesses to `self`.
    var rows = PagedArray<Row>()
    swap(&rows, &self.rows)
    Self.link(&registers.cells, to: &rows) { swap(&$0.firstRegister, &$1) }
    Self.link(&counters.cells, to: &rows) { swap(&$0.firstCounter, &$1) }
    Self.link(&sets.cells, to: &rows) { swap(&$0.firstSet, &$1) }
    swap(&rows, &self.rows)
  }

  /// Prepends each cell to the chain of its row, so the chains follow from the order of the cells.
  ///
  /// - Parameter exchange: Swaps the first cell of a row with the given one.
  @inline(__always)
  private static func link<Cell: FieldCell>(
    _ cells: inout PagedArray<Cell>, to rows: inout PagedArray<Row>,
    _ exchange: (inout Row, inout Int32) -> Void
  ) {
    for index in cells.indices {
      var cell = Int32(index)
      rows.update(Int(cells[index].row)) { exchange(&$0, &cell) }
      cells.update(index) { $0.next = cell }
    }
  }
}

extension IndexTable {
  /// Adds cells by row and field.
  fileprivate mutating func add<Cell: FieldCell>(_ cells: PagedArray<Cell>) throws(ColumnFault) {
    reserve(cells.count)
    for index in cells.indices {
      guard insertIfNew(cells[index].row, cells[index].field, Int32(index)) else {
        throw ColumnFault()
      }
    }
  }
}

extension StepPlanner {
  /// Visits the names, which begin with those of the catalog.
  fileprivate mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    let known = visitor.isReading ? (types: typeNames, fields: fieldNames) : nil
    try visitor.names(&typeNames)
    try visitor.names(&fieldNames)
    guard let known else { return }
    guard typeNames.begins(with: known.types), fieldNames.begins(with: known.fields),
      (known.fields.count..<fieldNames.count).allSatisfy({ index in
        // `SnapshotJSON` writes these spellings as they are.
        let spelling = "\"\(fieldNames.text(index))\""
        return (try? JSONValue(parsing: spelling.utf8))?.text == spelling
      })
    else { throw ColumnFault() }
  }
}

/// The rules and the declarations that a state was made with.
private struct FoldDefinition: Sendable {
  let bytes: [UInt8]

  init(_ collections: [CollectionSchema]) {
    let definition: JSONValue = [
      "rules": .number(JSONNumber(Int64(Fold.rulesVersion))),
      "catalog": CollectionSchema.file(collections),
    ]
    bytes = Array(definition.text.utf8)
  }
}
