extension Fold {
  /// Tells states of other rules, or written in another way, from those of this build.
  ///
  /// To be raised with every change of what events do to the state, or of what is written here.
  static let rulesVersion = 9

  /// What a stored state must have been made by to be one of this fold: the rules, and the catalog.
  package static func definition(_ catalog: SchemaCatalog) -> [UInt8] {
    catalog.memo.value { FoldDefinition(catalog.collections) }.bytes
  }

  /// - Parameter ledger: of the same reading.
  package func encode(into encoder: inout ColumnEncoder, _ ledger: Ledger) {
    encoder.write(eventCount)
    encoder.write(refs != nil)
    refs?.encode(into: &encoder)
    typeNames.encode(into: &encoder)
    fieldNames.encode(into: &encoder)
    entityNames.encode(into: &encoder)
    encoder.write(column: rows.indices.map { rows[$0].entity })
    encoder.write(column: rows.indices.map { rows[$0].day })
    encoder.write { registers.encode(into: &$0, ledger) }
    encoder.write { counters.encode(into: &$0, ledger) }
    var rowOfSet = [Int32](repeating: 0, count: sets.cells.count)
    for row in rows.indices {
      var cell = rows[row].firstSet
      while cell >= 0 {
        rowOfSet[Int(cell)] = Int32(row)
        cell = sets.cells[Int(cell)].next
      }
    }
    sets.encode(into: &encoder, rows: rowOfSet)
    presences.encode(into: &encoder)
  }

  /// Reads a state of this very catalog, in pages, and puts chains and tables together anew.
  ///
  /// - Parameter branches: the events of each branch of the ledger that belongs to it.
  package init(
    _ catalog: SchemaCatalog, from decoder: inout ColumnDecoder, branches: [ClosedRange<Int64>]
  ) throws(ColumnFault) {
    self.init(catalog)
    eventCount = try decoder.count()
    if try decoder.flag() { refs = try ByteInterner(from: &decoder) }
    typeNames = try Self.names(from: &decoder, after: typeNames)
    fieldNames = try Self.names(from: &decoder, after: fieldNames) { name in
      // Projections write names as they stand here.
      let spelling = "\"\(String(decoding: name, as: UTF8.self))\""
      return (try? JSONValue(parsing: spelling.utf8))?.text == spelling
    }
    try decodeEntities(from: &decoder)
    let entitiesOfRows: [Int32] = try decoder.column(below: entities.count, orNone: true)
    let days: [Int32] = try decoder.column(
      entitiesOfRows.count, in: Int64(Row.noDay)...Day.range.upperBound)
    let names = FoldNames(
      branches: branches, typeCount: typeNames.count, fieldCount: fieldNames.count)
    let (registerHeads, counterHeads) = try decodeValues(
      from: &decoder, names, RowHeads(rowCount: days.count))
    var setHeads = RowHeads(rowCount: days.count)
    sets = try MemberSets(from: &decoder, names, &setHeads, &setTable)
    presences = try Presences(from: &decoder, entityCount: entities.count, names)
    var read: [Row] = []
    read.reserveCapacity(days.count)
    for index in days.indices {
      read.append(
        Row(
          entity: entitiesOfRows[index], day: days[index],
          firstRegister: registerHeads.first[index], firstCounter: counterHeads.first[index],
          firstSet: setHeads.first[index]))
    }
    try link(&read)
    rows = PagedArray(read)
    paginate()
  }

  /// Reads registers and counters, most of a state: if they are many, both at once.
  ///
  /// - Returns: the first register of each row, and the first counter.
  private mutating func decodeValues(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ blank: RowHeads
  ) throws(ColumnFault) -> (registers: RowHeads, counters: RowHeads) {
    let (registerBytes, counterBytes) = (try decoder.string(), try decoder.string())
    var heads = blank
    func decodeRegisters() throws(ColumnFault) {
      registers = try ColumnDecoder.read(registerBytes) { (decoder) throws(ColumnFault) in
        try Registers(from: &decoder, names, &heads, &registerTable)
      }
    }
    @Sendable func decodedCounters() throws(ColumnFault) -> (Counters, RowHeads) {
      var heads = blank
      let counters = try ColumnDecoder.read(counterBytes) { (decoder) throws(ColumnFault) in
        try Counters(from: &decoder, names, &heads)
      }
      return (counters, heads)
    }
    let counterHeads: RowHeads
    if min(registerBytes.count, counterBytes.count) < Self.bytesAtOnceMin {
      try decodeRegisters()
      (counters, counterHeads) = try decodedCounters()
    } else {
      (counters, counterHeads) = try SerialWorker(label: "eventlog.counters")
        .both(there: decodedCounters, here: decodeRegisters).there
    }
    return (heads, counterHeads)
  }

  /// Reading less takes no longer than waking a thread for it.
  private static let bytesAtOnceMin = 1 << 16

  /// Names behind those that the catalog begins with, which must be the same.
  private static func names(
    from decoder: inout ColumnDecoder, after first: ByteInterner,
    where isName: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws(ColumnFault) -> ByteInterner {
    let names = try ByteInterner(from: &decoder)
    guard names.count >= first.count,
      (0..<first.count).allSatisfy({ names.bytes($0) == first.bytes($0) }),
      (first.count..<names.count).allSatisfy({ isName(names.bytes($0)) })
    else { throw ColumnFault() }
    return names
  }

  private mutating func decodeEntities(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    entityNames = try ByteInterner(from: &decoder)
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

  /// Ties rows to their entities, in the order in which the fold once made them.
  private mutating func link(_ rows: inout [Row]) throws(ColumnFault) {
    let singletonCount = catalog.collections.count
    guard rows.count >= singletonCount else { throw ColumnFault() }
    dayTable.reserve(rows.count { $0.day != Row.noDay })
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
        rows[index].nextDay = state.firstDay
        state.firstDay = Int32(index)
      }
      entities[Int(entity)] = state
    }
  }
}

/// The rules and the declarations that a state was made by.
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
