import EventLog
import Foundation
import Testing

@testable import EventLogImport

@Suite struct PropertyListTests {
  private static var sample: [String: Any] {
    [
      "text": "Käse & <Brot>", "empty": "", "yes": true, "no": false, "count": 42,
      "big": Int64.max, "below": -7, "real": 1.25, "list": ["a", 1, [Int]()] as [Any],
      "day": Date(timeIntervalSince1970: 642_729_600), "bytes": Data([1, 2, 3]),
      "inside": ["deep": ["deeper": "x"]], "emoji": "🌱",
    ]
  }

  private static func bytes(_ format: PropertyListSerialization.PropertyListFormat) throws
    -> [UInt8]
  {
    Array(
      try PropertyListSerialization.data(fromPropertyList: sample, format: format, options: 0))
  }

  private func read(_ bytes: [UInt8]) throws(EventLogError) -> SourceTree {
    try PropertyList.read(bytes, name: "a.plist")
  }

  /// A value of a dictionary.
  private func value(_ name: String, of tree: SourceTree) -> SourceTree? {
    guard case .members(let members) = tree else { return nil }
    return members.first { $0.name == name }?.value
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `XML and binary property lists are read as the written values`(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let tree = try read(Self.bytes(format))
    func json(_ name: String) -> JSONValue? { value(name, of: tree)?.json() }
    #expect(json("text") == "Käse & <Brot>")
    #expect(json("empty") == "" && json("yes") == true && json("no") == false)
    #expect(json("count") == 42 && json("below") == -7)
    #expect(json("big") == .number(JSONNumber(Int64.max)))
    #expect(json("real") == .number(JSONNumber(trusted: "1.25")))
    #expect(json("list") == ["a", 1, []])
    #expect(json("inside") == ["deep": ["deeper": "x"]])
    #expect(json("emoji") == "🌱")
    #expect(json("bytes") == nil)
    guard case .moment(let time)? = value("day", of: tree) else {
      Issue.record("A date is a point in time.")
      return
    }
    #expect(time.description == "1990-05-15T00:00:00.000Z")
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `a property list cut at any byte is refused`(
    _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    var whole = try Self.bytes(format)
    while whole.last == 0x0A { whole.removeLast() }
    for length in 0..<whole.count {
      let error = #expect(throws: EventLogError.self) { try read(Array(whole[..<length])) }
      #expect(error?.code == .invalidInput)
    }
  }

  @Test func `a binary list with a flipped bit never traps`() throws {
    let whole = try Self.bytes(.binary)
    for index in whole.indices {
      for bit in 0..<8 {
        var bytes = whole
        bytes[index] ^= 1 << UInt8(bit)
        _ = try? read(bytes)
      }
    }
  }

  @Test(arguments: [60, 61, 10_000, 1_000_000])
  func `XML that is nested too deeply is refused`(_ depth: Int) throws {
    let text =
      "<plist>" + String(repeating: "<array>", count: depth)
      + String(repeating: "</array>", count: depth) + "</plist>"
    if depth <= SourceTree.depthMax {
      _ = try read(Array(text.utf8))
    } else {
      let error = #expect(throws: EventLogError.self) { try read(Array(text.utf8)) }
      #expect(error?.message.contains("nested deeper than 60 levels") == true)
    }
  }

  /// A binary property list of lists, each of which refers to others by number.
  private func lists(_ references: [[Int]]) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for list in references {
      offsets.append(bytes.count)
      bytes.append(0xA0 | UInt8(list.count))
      for item in list { bytes += number(item, 4) }
    }
    let table = bytes.count
    for offset in offsets { bytes += number(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    return bytes + number(offsets.count, 8) + number(0, 8) + number(table, 8)
  }

  /// An unsigned integer above the range of `Int64` is stored in 16 bytes.
  @Test(
    arguments: [
      ([0x10, 0xFF], "255"), ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], "-2"),
      (
        [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
        "18446744073709551615"
      ),
      ([0x14] + [UInt8](repeating: 0xFF, count: 16), "-1"),
      ([0x14, 1] + [UInt8](repeating: 0, count: 15), "1329227995784915872903807060280344576"),
    ] as [([UInt8], String)])
  func `a binary integer of any size keeps its value`(_ object: [UInt8], _ digits: String) throws {
    var bytes = Array("bplist00".utf8) + object
    let table = UInt8(bytes.count)
    bytes += [8, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
    bytes += [UInt8](repeating: 0, count: 15) + [table]
    #expect(try read(bytes).json() == JSONValue(parsing: digits.utf8))
  }

  @Test func `a binary list nested too deeply or in itself is refused`() throws {
    let chain = (0..<10_000).map { $0 < 9_999 ? [$0 + 1] : [] }
    for references in [chain, [[0]], [[1], [0]]] {
      let error = #expect(throws: EventLogError.self) { try read(lists(references)) }
      #expect(error?.message.contains("nested deeper than") == true)
    }
    _ = try read(lists([[1, 1], []]))
  }

  @Test func `a list that refers to itself too often is refused before it grows`() {
    let doubling = (0..<40).map { $0 < 39 ? [$0 + 1, $0 + 1] : [] }
    let error = #expect(throws: EventLogError.self) { try read(lists(doubling)) }
    #expect(error?.message.contains("more than 1000000 values") == true)
  }

  @Test func `a value that grows too large by repeated references isn't imported`() throws {
    let text = SourceTree.json(.string(String(repeating: "x", count: 1000)))
    #expect(SourceTree.list([SourceTree](repeating: text, count: 1000)).json() != nil)
    let long = SourceTree.list([SourceTree](repeating: text, count: 1050))
    #expect(long.json() == nil)
    #expect(SourceTree.members([("a", long)]).json() == nil)
  }

  @Test func `shared data count each time they're used`() {
    let data = SourceTree.bytes(Array("[\(String(repeating: " ", count: 1000))]".utf8)[...])
    #expect(SourceTree.list([SourceTree](repeating: data, count: 1000)).json() != nil)
    #expect(SourceTree.list([SourceTree](repeating: data, count: 1050)).json() == nil)
  }

  @Test(arguments: ["0x1p4", "0X10", "-0x1"])
  func `a hexadecimal real number is refused`(_ text: String) {
    let xml = "<plist>\n<real>\(text)</real></plist>"
    let error = #expect(throws: EventLogError.self) { try read(Array(xml.utf8)) }
    #expect(error?.message.contains("a <real> is not a number (line 2, column ") == true)
  }

  @Test func `a repeated key is refused in both forms`() {
    let member = "<key>a</key><true/>"
    let xml = "<plist><dict>\(member)\n<key>b</key><dict>\(member)\(member)</dict></dict></plist>"
    let error = #expect(throws: EventLogError.self) { try read(Array(xml.utf8)) }
    #expect(error?.message.contains("unclear (line 2, column ") == true)
    let binary =
      Array("bplist00".utf8) + [0xD2, 1, 1, 2, 2, 0x51, 0x61, 0x09, 8, 13, 15]
      + [UInt8](repeating: 0, count: 6) + [1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16]
    let other = #expect(throws: EventLogError.self) { try read(binary) }
    #expect(other?.message.contains("the key \"a\" is there twice") == true)
  }

  @Test(arguments: [
    ("<plist><dict><key>a</key></dict></plist>", "stands where a value should"),
    ("<plist><dict><string>a</string></dict></plist>", "needs a <key>"),
    ("<plist><string>a</plist>", "has something inside"),
    ("<plist><integer>seven</integer></plist>", "an <integer> is not a whole number"),
    ("<plist><date>yesterday</date></plist>", "a <date> is not a time"),
    (
      "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>",
      "the key \"a\" is there twice"
    ),
    ("<plist><string>&lol;</string></plist>", "an & begins no character"),
    ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>", "entities of its own"),
    ("<plist><true/></plist>more", "something follows"),
    ("<plist><true/><true/></plist>", "more than one value"),
    ("<html><true/></html>", "does not begin with <plist>"),
  ])
  func `an invalid property list is refused with its line`(_ text: String, _ reason: String) {
    let error = #expect(throws: EventLogError.self) { try read(Array(text.utf8)) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.location.line == 1)
  }

  @Test func `characters can be written as entities or CDATA`() throws {
    let text = "<plist><string>a&#x41;&#66;<![CDATA[<&>]]>&apos;</string></plist>"
    #expect(try read(Array(text.utf8)).json() == "aAB<&>'")
  }
}
