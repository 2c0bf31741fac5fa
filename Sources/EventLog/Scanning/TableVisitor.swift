/// Visits the tables of a state to share them between copies, to write them, or to read them.
///
/// A state lists its tables once, in `forEachTable`. Tables that follow from others are derived
/// after reading, so they can't be wrong. Every number is checked against its column's range before
/// use.
package struct TableVisitor {
  package enum Task: Sendable {
    /// Splits the tables into pages, so that copies share the pages that neither changes.
    case sharing
    case writing
    case reading
  }

  package let task: Task
  /// The sequences of the events in each branch of the state's ledger.
  package let events: [ClosedRange<Int64>]
  var encoder = ColumnEncoder()
  var decoder = ColumnDecoder([])

  package var isReading: Bool { task == .reading }
  package var isWriting: Bool { task == .writing }

  private init(_ task: Task, events: [ClosedRange<Int64>] = []) {
    self.task = task
    self.events = events
  }

  /// Shares the tables that `visit` visits.
  package static func share(_ visit: (inout Self) throws(ColumnFault) -> Void) {
    var visitor = Self(.sharing)
    // Only reading throws.
    try? visit(&visitor)
  }

  /// Writes the tables that `visit` visits.
  package static func bytes(_ visit: (inout Self) throws(ColumnFault) -> Void) -> [UInt8] {
    var visitor = Self(.writing)
    try? visit(&visitor)
    return visitor.encoder.bytes
  }

  /// Reads a state from all of `bytes`.
  ///
  /// - Throws: `ColumnFault` for bytes that don't describe a state.
  package static func read<State>(
    _ bytes: ArraySlice<UInt8>, events: [ClosedRange<Int64>] = [],
    _ read: (inout Self) throws(ColumnFault) -> State
  ) throws(ColumnFault) -> State {
    var visitor = Self(.reading, events: events)
    visitor.decoder = ColumnDecoder(bytes)
    let state = try read(&visitor)
    guard visitor.decoder.isAtEnd else { throw ColumnFault() }
    return state
  }

  /// Visits a part that can be read separately.
  package mutating func part(
    _ visit: (inout Self) throws(ColumnFault) -> Void
  ) throws(ColumnFault) {
    switch task {
    case .sharing: try visit(&self)
    case .writing: encoder.write(bytes: Self.bytes(visit))
    case .reading: try Self.read(try partBytes(), events: events, visit)
    }
  }

  /// The bytes of the next part, while reading.
  package mutating func partBytes() throws(ColumnFault) -> ArraySlice<UInt8> {
    try decoder.string()
  }

  // MARK: - Tables

  /// Visits a stored table.
  package mutating func table<Row: BitwiseCopyable>(
    _ table: inout PagedArray<Row>, _ blank: @autoclosure () -> Row,
    _ columns: @autoclosure () -> [Column<Row>]
  ) throws(ColumnFault) {
    if task == .sharing { return table.paginate() }
    var rows = isWriting ? table.elements : []
    try self.rows(&rows, blank(), columns())
    if isReading { table = PagedArray(flat: rows) }
  }

  /// Visits a table that is derived from others.
  package mutating func derived(_ table: inout some Paginated) {
    if task == .sharing { table.paginate() }
  }

  package mutating func derived(_ tables: inout [some Paginated]) {
    if task != .sharing { return }
    for index in tables.indices { tables[index].paginate() }
  }

  /// Visits rows that exist only for writing and reading.
  ///
  /// - Parameter blank: The values of the members that have no column.
  package mutating func rows<Row: BitwiseCopyable>(
    _ rows: inout [Row], _ blank: @autoclosure () -> Row,
    _ columns: @autoclosure () -> [Column<Row>]
  ) throws(ColumnFault) {
    switch task {
    case .sharing: break
    case .writing:
      encoder.write(rows.count)
      for column in columns() {
        encoder.write(
          column: rows.withUnsafeBytes {
            column.member.numbers(of: $0, stride: MemoryLayout<Row>.stride)
          })
      }
    case .reading: rows = try readRows(blank(), columns())
    }
  }

  private mutating func readRows<Row: BitwiseCopyable>(
    _ blank: Row, _ columns: [Column<Row>]
  ) throws(ColumnFault) -> [Row] {
    // Each row takes at least one byte, so the memory is bounded by the length of the bytes.
    let count = try decoder.rowCount()
    if count == 0 { return [] }
    let members = columns.map(\.member)
    var packed: [PackedColumn] = []
    for member in members {
      guard let range = member.range(branchCount: events.count) else { throw ColumnFault() }
      packed.append(try decoder.column(count, in: range))
    }
    var rows = [Row](repeating: blank, count: count)
    let stride = MemoryLayout<Row>.stride
    let areEvents = rows.withUnsafeMutableBytes { rows in
      // In blocks that fit the cache.
      for start in Swift.stride(from: 0, to: count, by: 256) {
        for (member, numbers) in zip(members, packed) {
          numbers.copy(
            start..<min(count, start + 256),
            to: rows.baseAddress! + (start * stride + member.offset), stride: stride,
            memberWidth: member.width)
        }
      }
      let rows = UnsafeRawBufferPointer(rows)
      return members.allSatisfy { $0.areEvents(rows, stride: stride, of: events) }
    }
    guard areEvents else { throw ColumnFault() }
    return rows
  }

  /// Visits the JSON values of rows, which are stored in an arena.
  ///
  /// - Parameter orNone: Whether a row may have no value: an empty slot.
  package mutating func values<Row: BitwiseCopyable>(
    of rows: inout [Row], _ path: @autoclosure () -> KeyPath<Row, ByteArena.Slot>,
    in arena: inout ByteArena, orNone: Bool = false
  ) throws(ColumnFault) {
    if task == .sharing { return }
    let (offset, stride) = (Column.offset(of: path()), MemoryLayout<Row>.stride)
    if isWriting {
      return encoder.write(
        values: rows.withUnsafeBytes { rows in
          Swift.stride(from: offset, to: rows.count, by: stride).map {
            arena.bytes(rows.load(fromByteOffset: $0, as: ByteArena.Slot.self))
          }
        })
    }
    let values = try CanonicalValues(rows.count, orNone: orNone, from: &decoder)
    arena.reserve(values.ranges)
    rows.withUnsafeMutableBytes { rows in
      var rowOffset = offset
      for range in values.ranges {
        rows.storeBytes(
          of: arena.store(values.bytes.span, range), toByteOffset: rowOffset,
          as: ByteArena.Slot.self)
        rowOffset += stride
      }
    }
  }

  package mutating func names(_ names: inout ByteInterner) throws(ColumnFault) {
    switch task {
    case .sharing: names.paginate()
    case .writing: encoder.write(strings: (0..<names.count).map { names.bytes($0) })
    case .reading:
      names = ByteInterner()
      // The hash differs between processes, so intern again. This also detects duplicates.
      for (index, string) in try decoder.strings().enumerated() {
        guard names.intern(string) == index else { throw ColumnFault() }
      }
    }
  }
}

/// A table whose copies can share the pages that neither changes.
package protocol Paginated {
  /// Splits the table into pages.
  mutating func paginate()
}
