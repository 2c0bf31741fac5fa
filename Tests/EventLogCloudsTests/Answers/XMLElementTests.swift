import Testing

@testable import EventLogClouds

@Suite struct XMLElementTests {
  private func parse(_ text: String) -> XMLElement? { XMLElement(parsing: Array(text.utf8)) }

  @Test func `elements, text and references are read`() throws {
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
  func `what is no document is none`(text: String) {
    #expect(parse(text) == nil)
  }

  @Test func `a document that is cut anywhere is none`() {
    let whole = Array("<a><b c='d'>e&lt;f</b><g/></a>".utf8)
    for end in 0..<whole.count { #expect(XMLElement(parsing: Array(whole[..<end])) == nil) }
    #expect(XMLElement(parsing: whole) != nil)
  }

  @Test func `deep documents are refused`() {
    let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
    #expect(parse(deep) == nil)
  }
}
