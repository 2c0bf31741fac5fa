import Testing

@testable import EventLog

/// What is written in columns is read back; whatever else is read gives an error or numbers in
/// range.
@Suite struct ColumnTests {
  private static let widths: [ClosedRange<Int64>] = [
    0...0, 0...255, 0...256, -128...127, -1...65_535, 0...65_535, 7...4_294_967_302,
    -1...4_294_967_295, .min ... .max, .max ... .max, -5...Int64.max,
  ]

  @Test(arguments: widths)
  func `numbers of every width are read back`(_ range: ClosedRange<Int64>) throws {
    var random = SplitMix64(seed: 1)
    for count in [0, 1, 2, 300] {
      var numbers = (0..<count).map { _ in Int64.random(in: range, using: &random) }
      if count > 1 { numbers.replaceSubrange(0..<2, with: [range.lowerBound, range.upperBound]) }
      var encoder = ColumnEncoder()
      encoder.write(column: numbers)
      encoder.write(7)
      var decoder = ColumnDecoder(encoder.bytes[...])
      #expect(try decoder.column(in: range) as [Int64] == numbers)
      #expect(try decoder.number(in: 7...7) == 7)
      #expect(decoder.isAtEnd)
    }
  }

  @Test(arguments: widths)
  func `a column is the same, however it is read`(_ range: ClosedRange<Int64>) throws {
    var random = SplitMix64(seed: 2)
    let numbers = (0..<3000).map { _ in Int64.random(in: range, using: &random) }
    var encoder = ColumnEncoder()
    encoder.write(column: numbers)
    var decoder = ColumnDecoder(encoder.bytes[...])
    var column: PackedColumn<Int64> = try decoder.packed(numbers.count, in: range)
    let detached = column.detached
    var read: [Int64] = []
    while read.count < numbers.count {
      #expect(column[read.count] == numbers[read.count])
      if Bool.random(using: &random) {
        read.append(column.take())
      } else {
        let most = min(1200, numbers.count - read.count)
        read += column.take(Int.random(in: 0...most, using: &random))
      }
    }
    #expect(read == numbers)
    #expect(numbers.indices.allSatisfy { detached[$0] == numbers[$0] })
  }

  @Test func `texts, byte strings and flags are read back`() throws {
    var encoder = ColumnEncoder()
    encoder.write(text: "é")
    encoder.write(optional: nil)
    encoder.write(optional: "")
    encoder.write(true)
    encoder.write(strings: [[1, 2], [], [0xFF]])
    encoder.write(column: [UInt8.max, 0])
    encoder.write(column: [UInt32.max, 0])
    var decoder = ColumnDecoder(encoder.bytes[...])
    #expect(try decoder.text() == "é")
    #expect(try decoder.optionalText() == nil)
    #expect(try decoder.optionalText() == "")
    #expect(try decoder.flag())
    #expect(try decoder.strings().map(Array.init) == [[1, 2], [], [0xFF]])
    #expect(try decoder.column(in: 0...255) as [UInt8] == [255, 0])
    #expect(try decoder.column(in: 0...Int64(UInt32.max)) as [UInt32] == [.max, 0])
    #expect(decoder.isAtEnd)
  }

  @Test func `numbers out of range, places in nothing, and wrong sums are refused`() throws {
    var encoder = ColumnEncoder()
    encoder.write(column: [3, 5] as [Int32])
    func decode(_ body: (inout ColumnDecoder) throws(ColumnFault) -> Void) -> Bool {
      var decoder = ColumnDecoder(encoder.bytes[...])
      do throws(ColumnFault) { try body(&decoder) } catch { return false }
      return true
    }
    #expect(decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(in: 3...5) })
    #expect(!decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(in: 4...5) })
    #expect(!decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(in: 3...4) })
    #expect(!decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(3, in: 3...5) })
    #expect(decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(below: 6) })
    #expect(!decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(below: 5) })
    #expect(!decode { (d) throws(ColumnFault) in let _: [Int32] = try d.column(below: 0) })
    #expect(decode { (d) throws(ColumnFault) in _ = try d.counts(2, total: 8) })
    #expect(!decode { (d) throws(ColumnFault) in _ = try d.counts(2, total: 9) })
    #expect(!decode { (d) throws(ColumnFault) in _ = try d.counts(2, from: 4, total: 8) })
  }

  @Test func `a column that claims more numbers than there are bytes takes no memory`() {
    for width in [1, 2, 4, 8, 0, 3, 255] {
      var encoder = ColumnEncoder()
      encoder.write(Int64(1) << 40)
      encoder.write(0)
      var bytes = encoder.bytes + [UInt8(width)]
      #expect(throws: ColumnFault.self) {
        var decoder = ColumnDecoder(bytes[...])
        let _: [Int64] = try decoder.column(in: .min ... .max)
      }
      bytes[0] = 9
      for index in 1..<8 { bytes[index] = 0 }
      #expect(throws: ColumnFault.self) {
        var decoder = ColumnDecoder((bytes + [1, 2, 3, 4, 5, 6, 7, 8])[...])
        let _: [Int64] = try decoder.column(in: .min ... .max)
      }
    }
  }

  @Test func `a sealed piece is read whole or not at all`() throws {
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
  func `canonical values are taken`(_ text: String) throws {
    #expect(Self.takes([Array(text.utf8), [0x31]]))
  }

  @Test(arguments: [
    "01", "1 ", "[1, 2]", "\"", "[}", "}", "nul", "\"\\u0041\"", "{\"a\":1,\"a\":2}", "1\n2",
    "\u{1}",
    String(repeating: "[", count: 80) + String(repeating: "]", count: 80), "[", "12,", "",
    "{" + (0..<40).map { "\"m\($0 % 39)\":\($0)" }.joined(separator: ",") + "}",
  ])
  func `other values are refused`(_ text: String) {
    #expect(!Self.takes([Array(text.utf8), [0x31]]))
    #expect(!Self.takes([[0x31], Array(text.utf8)]))
    #expect(!Self.takes([[0xFF]]))
  }

  private static func takes(_ values: [[UInt8]]) -> Bool {
    var encoder = ColumnEncoder()
    encoder.write(values: values.map { $0[...] })
    var decoder = ColumnDecoder(encoder.bytes[...])
    guard let read = try? CanonicalValues(values.count, from: &decoder) else { return false }
    return read.ranges.map { Array(read.bytes[$0.range]) } == values
  }

  @Test func `an interner with an entry that stands twice is refused`() throws {
    var encoder = ColumnEncoder()
    encoder.write(strings: [[1], [2], [1]])
    var decoder = ColumnDecoder(encoder.bytes[...])
    #expect(throws: ColumnFault.self) { try ByteInterner(from: &decoder) }
    var interner = ByteInterner()
    for text in ["b", "", "a"] { _ = interner.intern(text) }
    encoder = ColumnEncoder()
    interner.encode(into: &encoder)
    decoder = ColumnDecoder(encoder.bytes[...])
    let read = try ByteInterner(from: &decoder)
    #expect((0..<read.count).map { read.text($0) } == ["b", "", "a"])
    #expect(read.find("") == 1)
  }
}
