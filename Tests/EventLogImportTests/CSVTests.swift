import EventLog
import Testing

@testable import EventLogImport

@Suite struct CSVTests {
  private func rows(_ text: String) throws(EventLogError) -> [[String]] {
    try CSV(Array(text.utf8), name: "a.csv").rows.map(\.cells)
  }

  private func table(_ bytes: [UInt8], title: String) throws(EventLogError) -> SourceTable {
    try SourceTable(CSV(bytes, name: title), title: title, columns: [], known: [:])
  }

  @Test(arguments: [
    ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r1,2", [["a", "b"], ["1", "2"]]),
    ("\u{FEFF}a,b\n\n1,2\n\n", [["a", "b"], ["1", "2"]]),
    ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]),
    ("\"two\nlines\",x\n", [["two\nlines", "x"]]),
    ("a,,\n", [["a", "", ""]]), ("\"\"\n", []), (",\n", [["", ""]]), ("", []),
    ("it's 5\" long,x\n", [["it's 5\" long", "x"]]),
  ])
  func `a table is read according to RFC 4180`(_ text: String, _ expected: [[String]]) throws {
    #expect(try rows(text) == expected)
  }

  @Test(arguments: [
    ("a,b\n\"1,2\n", "a.csv:2: the line begins a quoted value that does not end (column 1)."),
    (
      "a\n\"é\"2\n",
      "a.csv:2: the line has something after the closing quotation mark of a value (column 4)."
    ),
    ("\u{FEFF}a,\"1\"2\n", "a.csv:1: the line has something after the closing quotation mark"),
    ("a,b\r1,\"2", "a.csv:2: the line begins a quoted value that does not end (column 3)."),
  ])
  func `an unpaired quotation mark is refused with its line and column`(
    _ text: String, _ message: String
  ) {
    let error = #expect(throws: EventLogError.self) { try rows(text) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `text with null characters is refused with its line and column`() {
    let error = #expect(throws: EventLogError.self) {
      try CSV(Array("a,b\n1,\u{0}\n".utf8), name: "a.csv")
    }
    #expect(
      error?.message.hasPrefix("a.csv:2: the line has a null character (column 3), as text in")
        == true)
  }

  @Test func `invalid UTF-8 is refused with its line`() {
    let error = #expect(throws: EventLogError.self) {
      try CSV([0x61, 0x0A, 0xFF, 0x0A], name: "a.csv")
    }
    #expect(error?.location.line == 2)
  }

  /// Each column is checked once; comparing every pair would take hours.
  @Test func `a table with very many columns is read, and a repeated name refused`() throws {
    let names = (0..<200_000).map { "c\($0)" }
    let text = names.joined(separator: ",") + "\n"
    let table = try self.table(Array(text.utf8), title: "a.csv")
    #expect(table.columns.count == names.count)
    let error = #expect(throws: EventLogError.self) {
      try self.table(Array(("c7," + text).utf8), title: "a.csv")
    }
    #expect(error?.message.contains("a.csv:1: there are two columns \"c7\"") == true)
  }

  @Test func `a file with too many values is refused while it is read`() {
    let most = SourceTree.valuesMax
    #expect(throws: Never.self) {
      try CSV([UInt8](repeating: UInt8(ascii: ","), count: most - 1), name: "a.csv")
    }
    for byte in [UInt8(ascii: ","), 0x0A] {
      let error = #expect(throws: EventLogError.self) {
        try CSV([UInt8](repeating: byte, count: most + 1), name: "a.csv")
      }
      #expect(error?.message.contains("more than 4000000 values") == true)
    }
  }

  @Test func `a row with too few or too many columns is refused with its line`() {
    for text in ["a,b\n1,2\n3\n", "a,b\n1,2\n3,4,5\n"] {
      let error = #expect(throws: EventLogError.self) {
        try self.table(Array(text.utf8), title: "a.csv")
      }
      #expect(error?.message.hasPrefix("a.csv:3: the line has") == true)
    }
  }
}
