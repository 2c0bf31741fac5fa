import EventLogTesting
import Testing

@testable import EventLog

@Suite struct LineScannerTests {
  private static let joined =
    #"{"id":"a:1","at":"2026-01-28T09:12:33.123Z","type":"device.joined""#
    + #","data":{"user":"ada","name":"A"}"#

  private static func line(_ members: String) -> [UInt8] {
    sealed(#"{"id":"a:1","at":"2026-01-28T09:12:33.123Z","type":"a.b""# + members)
  }

  @Test(arguments: [
    "", #","entity":"habit/x""#, #","seen":[]"#, #","seen":["b:1~00000001","c:2~0000000f"]"#,
    #","ref":"\n\u0001é""#, #","more":true"#, #","ref":"r","more":true"#,
  ])
  func `a line in canonical spelling is read in place`(members: String) throws {
    var scanner = LineScanner()
    #expect(
      try scanner.read(Self.line(members + #","data":{"x":[1.5e-3,{"y":"\\"}]}"#)).event != nil)
    #expect(scanner.slowLineCount == 0)
  }

  @Test(arguments: [
    #","data":{"x": 1}"#, #","data":{"x":"\/"}"#, #","data":{"x":"\u000a"}"#,
    #","data":{"x":"\u001F"}"#, #","data":{},"x":1"#, #","v":1,"data":{}"#,
    #","seen":[ "b:2~00000002"],"data":{}"#, #","data":{},"ref":"r""#, #","data":{} "#,
    #","more":true,"ref":"r","data":{}"#, #","seen":["\u0062:2~00000002"],"data":{}"#,
  ])
  func `a line in any other spelling is rewritten, then read`(members: String) throws {
    var scanner = LineScanner()
    #expect(try scanner.read(Self.line(members)).event != nil)
    #expect(scanner.slowLineCount == 1)
  }

  /// State left in the scanner by one line must not affect the next.
  @Test func `a line is read the same regardless of the lines before it`() throws {
    var scanner = LineScanner()
    let full = Self.line(
      #","entity":"habit/x","seen":["b:1~00000001"],"ref":"r","more":true,"data":{"x":1}"#)
    let bare = Self.line(#","data":{}"#)
    let later = sealed(#"{"id":"a:1","v":2"#)
    let broken = Self.line(#","entity":"habit/x","seen":["b:1~00000001"],"data":[]"#)
    let lines = [full, bare, later, broken, bare, full, later, full, bare, broken, later]
    for line in lines { #expect(try scanner.read(line) == readGenerally(line)) }
    let event = try #require(scanner.read(bare).event)
    #expect(event.entity == nil && event.ref == nil && !event.hasMore)
    #expect(event.seen == [] && event.data.members.isEmpty && event.version == 1)
  }

  @Test func `a line of a later version yields only its ID, seen, more and checksum`() throws {
    var scanner = LineScanner()
    let line = sealed(
      #"{"id":"a:7","at":"2026-01-28T09:12:33.123Z","type":"a.b","entity":"habit/x""#
        + #","seen":["b:3~0000000a"],"ref":"r","more":true,"v":2,"data":{"x":1}"#)
    let event = try #require(scanner.read(line).event)
    #expect(event.id.description == "a:7")
    #expect(event.seen.map(\.description) == ["b:3~0000000a"])
    #expect(event.hasMore)
    #expect(event.version == 2)
    #expect(event.at == nil && event.type.isEmpty && event.entity == nil && event.ref == nil)
    #expect(event.data.members.isEmpty)
    #expect(Array(event.checksum.utf8) == Array(line.dropLast(2).suffix(16)))
  }

  @Test func `every flipped bit of a line is detected`() throws {
    let line = sealed(Self.joined)
    var scanner = LineScanner()
    Counted.note(line.count * 8, "flipped bits of a line")
    for bit in 0..<(line.count * 8) {
      var flipped = line
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      if flipped[bit / 8] == 0x0A { continue }
      if try scanner.read(flipped).event != nil { Issue.record("bit \(bit) is not noticed") }
    }
  }

  @Test func `every proper prefix of a line is refused`() throws {
    let line = sealed(Self.joined)
    var scanner = LineScanner()
    Counted.note(line.count - 1, "cuts of a line")
    for count in 1..<line.count {
      let fault = try #require(scanner.read(Array(line[..<count])).fault)
      #expect(fault == LineFault(.truncated, at: count))
    }
  }

  /// The scanner loads words that extend past the line; those bytes must not matter.
  @Test(arguments: [0x00, 0x22, 0x2C, 0x30, 0x5C, 0x7D, 0xFF] as [UInt8])
  func `bytes after a line don't affect its reading`(padding: UInt8) throws {
    let lines = [
      sealed(Self.joined), Self.line(#","data":{"x":"y"}"#), Self.line(#","data":{"x":"y""#),
      Self.line(#","data":{"x":12"#), Self.line(#","data":{"x":"\"#), Self.line(#","ref":"r"#),
      Self.line(#","seen":["b:1~0000000"#), Self.line(#","data":{"x":[[1"#), Self.line(""),
    ]
    for line in lines {
      var scanner = LineScanner()
      var sink = ScannedLines()
      let padded = line + [UInt8](repeating: padding, count: CanonicalScanner.padding)
      let position = LinePosition(
        number: 1, offset: 0, byteCount: line.count, endOffset: Int64(line.count + 1),
        isTerminated: true)
      padded.withUnsafeBufferPointer {
        scanner.scan($0.baseAddress!, at: position, into: &sink)
      }
      #expect(try sink.lines == [readGenerally(line)])
    }
  }

  @Test func `every fault has a distinct clause to complete a sentence`() {
    let clauses = LineFault.Code.allCases.map(\.clause)
    #expect(Set(clauses).count == clauses.count)
    #expect(clauses.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
  }

  @Test func `members are distinguished by bytes, even if there are many`() throws {
    var scanner = LineScanner()
    for count in [1, 31, 32, 33, 500] {
      let members = (0..<count).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
      let event = try #require(scanner.read(Self.line(#","data":{\#(members)}"#)).event)
      #expect(event.data.members.count == count)
      let doubled = Self.line(#","data":{\#(members),"m0":0}"#)
      #expect(try scanner.read(doubled).fault?.code == .duplicateMember)
      let nested = Self.line(#","data":{"x":[{\#(members),"m0":0}]}"#)
      #expect(try scanner.read(nested).fault?.code == .duplicateMember)
    }
  }
}
