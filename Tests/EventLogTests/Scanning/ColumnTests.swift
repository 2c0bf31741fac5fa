import Testing

@testable import EventLog

/// Written columns are read back; any other bytes give an error or numbers in range.
@Suite struct ColumnTests {
  private static let widths: [ClosedRange<Int64>] = [
    0...0, 0...255, 0...256, -128...127, -1...65_535, 0...65_535, 7...4_294_967_302,
    -1...4_294_967_295, .min ... .max, .max ... .max, -5...Int64.max,
  ]

  /// A row with a member of each type.
  private struct Row: BitwiseCopyable, Equatable {
    var long: Int64 = 0
    var int: Int32 = -7
    var unsigned: UInt32 = 0
    var short: UInt16 = 0
    var byte: UInt8 = 0
    var flag = false
    /// Has no column.
    var other: Int32 = 0
  }

  private static func bytes(_ rows: [Row], _ columns: [Column<Row>]) -> [UInt8] {
    var rows = rows
    return TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try visitor.rows(&rows, Row(), columns)
    }
  }

  private static func rows(
    _ bytes: [UInt8], _ columns: [Column<Row>], events: [ClosedRange<Int64>] = []
  ) throws(ColumnFault) -> [Row] {
    try TableVisitor.read(bytes[...], events: events) { (visitor) throws(ColumnFault) in
      var rows: [Row] = []
      try visitor.rows(&rows, Row(), columns)
      return rows
    }
  }

  private static let isAny = Int64.min ... .max

  @Test(arguments: widths)
  func `numbers of every width round-trip`(_ range: ClosedRange<Int64>) throws {
    var random = SplitMix64(seed: 1)
    for count in [0, 1, 2, 300, 1000] {
      var rows = (0..<count).map { _ in Row(long: .random(in: range, using: &random)) }
      if count > 1 { (rows[0].long, rows[1].long) = (range.lowerBound, range.upperBound) }
      let columns = [Column(\Row.long, in: range)]
      #expect(try Self.rows(Self.bytes(rows, columns), columns) == rows)
    }
  }

  @Test func `members of every size round-trip, and members without a column stay blank`() throws {
    var random = SplitMix64(seed: 2)
    let columns = [
      Column(\Row.long, in: Self.isAny), Column(\Row.int, in: Self.isAny),
      Column(\Row.unsigned, in: 0...Int64(UInt32.max)), Column(\Row.short, in: 0...65_535),
      Column(\Row.byte, in: 0...255), Column(flag: \Row.flag),
    ]
    for count in [0, 1, 255, 256, 257, 3000] {
      let rows = (0..<count).map { _ in
        Row(
          long: .random(in: .min ... .max, using: &random),
          int: .random(in: .min ... .max, using: &random),
          unsigned: .random(in: .min ... .max, using: &random),
          short: .random(in: .min ... .max, using: &random),
          byte: .random(in: .min ... .max, using: &random), flag: .random(using: &random))
      }
      #expect(try Self.rows(Self.bytes(rows, columns), columns) == rows)
    }
    let part = [Column(\Row.short, in: 0...65_535)]
    #expect(try Self.rows(Self.bytes([Row(long: 3, short: 5)], part), part) == [Row(short: 5)])
  }

  @Test func `numbers and indexes out of range are refused`() throws {
    let bytes = Self.bytes([Row(int: 3), Row(int: 5)], [Column(\.int, in: Self.isAny)])
    func decodes(_ column: Column<Row>) -> Bool { (try? Self.rows(bytes, [column])) != nil }
    #expect(decodes(Column(\.int, in: 3...5)))
    #expect(!decodes(Column(\.int, in: 4...5)))
    #expect(!decodes(Column(\.int, in: 3...4)))
    #expect(decodes(Column(\.int, below: 6)))
    #expect(!decodes(Column(\.int, below: 5)))
    #expect(!decodes(Column(\.int, below: 0)))
    #expect(!decodes(Column(\.int, below: 0, orNone: true)))
    let none = Self.bytes([Row(int: -1)], [Column(\.int, in: Self.isAny)])
    #expect((try? Self.rows(none, [Column(\.int, below: 0, orNone: true)])) != nil)
    #expect((try? Self.rows(none, [Column(\.int, below: 9)])) == nil)
  }

  @Test func `an event that its branch doesn't contain is refused`() throws {
    func decodes(_ branch: Int32, _ sequence: Int64, orNone: Bool = false) -> Bool {
      let columns = Column.event(\Row.int, \Row.long, orNone: orNone)
      let bytes = Self.bytes([Row(long: 4, int: 0), Row(long: sequence, int: branch)], columns)
      return (try? Self.rows(bytes, columns, events: [1...4, 3...9])) != nil
    }
    #expect(decodes(0, 1) && decodes(1, 9) && decodes(-1, 0, orNone: true))
    #expect(!decodes(0, 5) && !decodes(1, 2) && !decodes(2, 1) && !decodes(-1, 1))
    #expect(!decodes(0, 0) && !decodes(0, 0, orNone: true) && !decodes(0, -1))
  }

  @Test func `numbers, flags, lists and texts round-trip`() throws {
    struct State: Equatable {
      var number: UInt32 = 0
      var isSet = false
      var (text, none, empty): (String, String?, String?) = ("", "", nil)
      var list: [String] = []

      mutating func visit(_ visitor: inout TableVisitor) throws(ColumnFault) {
        try visitor.number(&number)
        try visitor.flag(&isSet)
        try visitor.text(&text)
        try visitor.text(&none)
        try visitor.text(&empty)
        try visitor.list(&list, "", upTo: 2) { (text, visitor) throws(ColumnFault) in
          try visitor.text(&text)
        }
      }
    }
    func read(_ bytes: [UInt8]) throws(ColumnFault) -> State {
      try TableVisitor.read(bytes[...]) { (visitor) throws(ColumnFault) in
        var state = State()
        try state.visit(&visitor)
        return state
      }
    }
    func bytes(_ state: State) -> [UInt8] {
      var state = state
      return TableVisitor.bytes { (visitor) throws(ColumnFault) in try state.visit(&visitor) }
    }
    var state = State(
      number: 7, isSet: true, text: "é", none: nil, empty: "", list: ["a", ""])
    #expect(try read(bytes(state)) == state)
    #expect(throws: ColumnFault.self) { try read(bytes(state) + [0]) }
    for count in 0..<bytes(state).count {
      #expect(throws: ColumnFault.self) { try read(Array(bytes(state)[..<count])) }
    }
    state.list.append("c")
    #expect(throws: ColumnFault.self) { try read(bytes(state)) }
  }

  @Test func `a table that claims more rows than its bytes can hold is refused`() {
    let columns = [Column(\Row.long, in: Self.isAny)]
    for width in [1, 2, 4, 8, 0, 3, 255] as [UInt8] {
      var encoder = ColumnEncoder()
      encoder.write(Int64(1) << 40)
      encoder.write(0)
      var bytes = encoder.bytes + [width]
      #expect(throws: ColumnFault.self) { try Self.rows(bytes, columns) }
      bytes[5] = 0
      bytes[0] = 9
      #expect(throws: ColumnFault.self) {
        try Self.rows(bytes + [1, 2, 3, 4, 5, 6, 7, 8], columns)
      }
    }
  }

  @Test func `owners of rows that don't ascend are refused`() throws {
    #expect(try [Int32]().runs { $0 } == [])
    #expect(try ([1, 1, 4, 5, 5, 5] as [Int32]).runs { $0 } == [0..<2, 2..<3, 3..<6])
    #expect(throws: ColumnFault.self) { try ([1, 2, 1] as [Int32]).runs { $0 } }
  }

  @Test func `sealed bytes round-trip, and are refused if any byte has changed`() throws {
    var encoder = ColumnEncoder()
    encoder.write(text: "state")
    let sealed = encoder.sealed("mark 1\n")
    var decoder = try ColumnDecoder(sealed: sealed, "mark 1\n")
    #expect(try decoder.text() == "state")
    #expect(throws: ColumnFault.self) { try ColumnDecoder(sealed: sealed, "mark 2\n") }
    for index in sealed.indices {
      var damaged = sealed
      damaged[index] ^= 1 << UInt8(index % 8)
      #expect(throws: ColumnFault.self) { try ColumnDecoder(sealed: damaged, "mark 1\n") }
      #expect(throws: ColumnFault.self) {
        try ColumnDecoder(sealed: Array(sealed[..<index]), "mark 1\n")
      }
    }
  }

  @Test(arguments: [
    "1", "-0.5e3", "\"é\"", "null", "true", "[]", "[1,[2,\"x\"]]", "{\"a\":1,\"b\":{}}",
    "{" + (0..<40).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}",
  ])
  func `canonical JSON values are accepted`(_ text: String) throws {
    #expect(Self.takes([Array(text.utf8), [0x31]]))
  }

  @Test(arguments: [
    "01", "1 ", "[1, 2]", "\"", "[}", "}", "nul", "\"\\u0041\"", "{\"a\":1,\"a\":2}", "1\n2",
    "\u{1}",
    String(repeating: "[", count: 80) + String(repeating: "]", count: 80), "[", "12,", "",
    "{" + (0..<40).map { "\"m\($0 % 39)\":\($0)" }.joined(separator: ",") + "}",
  ])
  func `noncanonical JSON values are refused`(_ text: String) {
    #expect(!Self.takes([Array(text.utf8), [0x31]]))
    #expect(!Self.takes([[0x31], Array(text.utf8)]))
    #expect(!Self.takes([[0xFF]]))
  }

  private struct Value: BitwiseCopyable {
    var slot = ByteArena.Slot.empty
  }

  /// Whether `values` are written and read back unchanged.
  private static func takes(_ values: [[UInt8]], orNone: Bool = false) -> Bool {
    var arena = ByteArena()
    var rows = values.map { Value(slot: arena.store($0)) }
    let bytes = TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try visitor.values(of: &rows, \.slot, in: &arena)
    }
    rows = values.map { _ in Value() }
    arena = ByteArena()
    let isRead: ()? = try? TableVisitor.read(bytes[...]) { (visitor) throws(ColumnFault) in
      try visitor.values(of: &rows, \.slot, in: &arena, orNone: orNone)
    }
    return isRead != nil && rows.map { Array(arena.bytes($0.slot)) } == values
  }

  @Test func `a missing value is accepted only if the column allows it`() {
    #expect(Self.takes([[], [0x31], []], orNone: true))
    #expect(!Self.takes([[], [0x31]]))
  }

  @Test func `an interner with a repeated entry is refused`() throws {
    var encoder = ColumnEncoder()
    encoder.write(strings: [[1], [2], [1]])
    var names = ByteInterner()
    #expect(throws: ColumnFault.self) {
      try TableVisitor.read(encoder.bytes[...]) { (visitor) throws(ColumnFault) in
        try visitor.names(&names)
      }
    }
    names = ByteInterner()
    for text in ["b", "", "a"] { _ = names.intern(text) }
    let bytes = TableVisitor.bytes { (visitor) throws(ColumnFault) in try visitor.names(&names) }
    names = ByteInterner()
    try TableVisitor.read(bytes[...]) { (visitor) throws(ColumnFault) in try visitor.names(&names) }
    #expect((0..<names.count).map { names.text($0) } == ["b", "", "a"])
    #expect(names.find("") == 1)
  }
}
