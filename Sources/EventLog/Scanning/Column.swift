/// A column of a table: a stored property of its rows, and the numbers it may contain.
package struct Column<Row: BitwiseCopyable> {
  let member: Member

  private init(_ member: Member) { self.member = member }

  package init<Number: FixedWidthInteger>(
    _ path: KeyPath<Row, Number>, in range: ClosedRange<Int64>
  ) {
    self.init(path, .numbers(range))
  }

  /// A column of indexes into a table of `bound` rows; `orNone` also allows −1.
  package init(_ path: KeyPath<Row, Int32>, below bound: Int, orNone: Bool = false) {
    let least: Int64 = orNone ? -1 : 0
    self.init(path, least < bound ? .numbers(least...Int64(bound) - 1) : .nothing)
  }

  package init(flag path: KeyPath<Row, Bool>) {
    self.init(
      Member(offset: Self.offset(of: path), width: 1, isSigned: false, content: .numbers(0...1)))
  }

  /// A column of a part of the row.
  package init<Part>(_ path: KeyPath<Row, Part>, _ column: Column<Part>) {
    var member = column.member
    let start = Self.offset(of: path)
    member.offset += start
    if case .sequences(let branch) = member.content { member.content = .sequences(start + branch) }
    self.init(member)
  }

  private init<Number: FixedWidthInteger>(_ path: KeyPath<Row, Number>, _ content: Member.Content) {
    self.init(
      Member(
        offset: Self.offset(of: path), width: MemoryLayout<Number>.size,
        isSigned: Number.isSigned, content: content))
  }

  /// The columns of an event, which must be one of ``TableVisitor/events``; `orNone` also allows
  /// the branch −1.
  package static func event(
    _ branch: KeyPath<Row, Int32>, _ sequence: KeyPath<Row, Int64>, orNone: Bool = false
  ) -> [Column] {
    [
      Column(branch, .branches(orNone: orNone)),
      Column(sequence, .sequences(offset(of: branch))),
    ]
  }

  static func offset<Value>(of path: KeyPath<Row, Value>) -> Int {
    guard let offset = MemoryLayout<Row>.offset(of: path) else {
      preconditionFailure("A column is a stored property.")
    }
    return offset
  }
}

/// The offset and type of a column within each row, and its valid numbers.
struct Member {
  enum Content {
    case numbers(ClosedRange<Int64>)
    /// The column must be empty.
    case nothing
    case branches(orNone: Bool)
    /// Sequences of events whose branches are at this offset of the row.
    case sequences(Int)
  }

  var offset: Int
  let width: Int
  let isSigned: Bool
  var content: Content

  func range(branchCount: Int) -> ClosedRange<Int64>? {
    switch content {
    case .numbers(let range): range
    case .nothing: nil
    case .branches(orNone: true): -1...Int64(branchCount) - 1
    case .branches: branchCount > 0 ? 0...Int64(branchCount) - 1 : nil
    case .sequences: 0...LineLimits.sequenceMax
    }
  }

  /// The column's numbers in `rows`.
  func numbers(of rows: UnsafeRawBufferPointer, stride: Int) -> [Int64] {
    Swift.stride(from: offset, to: rows.count, by: stride).map { rowOffset in
      switch (width, isSigned) {
      case (1, false): Int64(rows.load(fromByteOffset: rowOffset, as: UInt8.self))
      case (2, false): Int64(rows.load(fromByteOffset: rowOffset, as: UInt16.self))
      case (4, false): Int64(rows.load(fromByteOffset: rowOffset, as: UInt32.self))
      case (4, true): Int64(rows.load(fromByteOffset: rowOffset, as: Int32.self))
      case (8, true): rows.load(fromByteOffset: rowOffset, as: Int64.self)
      default: preconditionFailure("No row has such a member.")
      }
    }
  }

  /// Whether the event of each row is one of `events`.
  func areEvents(
    _ rows: UnsafeRawBufferPointer, stride: Int, of events: [ClosedRange<Int64>]
  ) -> Bool {
    guard case .sequences(let branchOffset) = content else { return true }
    return Swift.stride(from: 0, to: rows.count, by: stride).allSatisfy { start in
      let branch = rows.load(fromByteOffset: start + branchOffset, as: Int32.self)
      let sequence = rows.load(fromByteOffset: start + offset, as: Int64.self)
      return branch < 0 || events[Int(branch)].contains(sequence)
    }
  }
}

extension Array {
  /// The runs of consecutive rows with the same owner.
  ///
  /// - Throws: `ColumnFault` if the owners don't ascend.
  func runs(by owner: (Element) -> Int32) throws(ColumnFault) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in indices.dropFirst() where owner(self[index]) != owner(self[index - 1]) {
      guard owner(self[index]) > owner(self[index - 1]) else { throw ColumnFault() }
      runs.append(start..<index)
      start = index
    }
    return isEmpty ? [] : runs + [start..<count]
  }
}
