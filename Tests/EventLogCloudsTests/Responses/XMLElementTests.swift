import Testing

@testable import EventLogClouds

@Suite struct XMLElementTests {
  private func parse(_ text: String) -> XMLElement? { XMLElement(parsing: Array(text.utf8)) }

  @Test func `elements, text and references of an XML document are parsed`() throws {
    let root = try #require(
      parse(
        """
        <?xml version="1.0" encoding="UTF-8"?><!-- a comment -->
        <D:list xmlns:D="DAV:" note="a > b"><D:name>a&amp;b&#x41;&#66;</D:name><D:empty/>\
        <name><![CDATA[<raw>]]></name></D:list>

        """))
    #expect(root.name == "list")
    #expect(root.all("name").map(\.text) == ["a&bAB", "<raw>"])
    #expect(root.child("empty")?.children.isEmpty == true)
  }

  @Test(arguments: [
    "", "a", "<a>", "<a></b>", "<a/><b/>", "<a/>b", "<a>&unknown;</a>", "<a>&#xD800;</a>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a", "<a b=\"></a>", "<a>&amp</a>",
    "</a>", "<><//>", "<a><!-- </a>",
  ])
  func `an invalid XML document is refused`(text: String) {
    #expect(parse(text) == nil)
  }

  @Test func `a truncated XML document is refused`() {
    let whole = Array("<a><b c='d'>e&lt;f</b><g/></a>".utf8)
    for end in 0..<whole.count { #expect(XMLElement(parsing: Array(whole[..<end])) == nil) }
    #expect(XMLElement(parsing: whole) != nil)
  }

  @Test func `a deeply nested XML document is refused`() {
    let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
    #expect(parse(deep) == nil)
  }
}
