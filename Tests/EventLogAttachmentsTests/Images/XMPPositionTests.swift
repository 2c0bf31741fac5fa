import Testing

@testable import EventLogAttachments

/// Properties of a position in XMP.
@Suite struct XMPPositionTests {
  /// The text without its position, and the fault.
  private func blanked(_ text: [UInt8]) -> (text: String, fault: ImageFault?) {
    var scan = ImageScan(byteCount: Int64(text.count)) { offset, count in
      Array(text[Int(offset)..<Int(offset) + count])
    }
    scan.scanXMP(scan.file)
    let position = ImagePosition(format: nil, edits: scan.edits.disjoint())
    return (String(decoding: position.edited(text), as: UTF8.self), scan.fault)
  }

  private func spaces(_ text: String) -> String { String(repeating: " ", count: text.utf8.count) }

  @Test(arguments: [
    ("<a ", "exif:GPSLatitude=\"48,1N\"", " b='1'/>"),
    ("<a\n", "GPSAltitude = '1'", ">x</a>"),
    ("<a b='1'\t", "drone-dji:GpsLongtitude='+1.0'", "/>"),
    ("<a ", "x:AbsoluteAltitude='>'", ">"),
    ("<a>", "<e:GPSLatitude>48,1N</e:GPSLatitude>", "</a>"),
    ("", "<GPSDest a='1'><GPSDest/><GPSDest>1</GPSDest>2</GPSDest>", "<b/>"),
    ("", "<e:GPSLatitude a='</e:GPSLatitude>'/>", "<b/>"),
    ("<?x <GPS>?><!-- <GPS>1</GPS> --><![CDATA[<GPS>]]>", "<GPS>1</GPS\n>", "<!x>"),
    ("", "<exif:GPSLatitude\nxml:lang='x'\n>1</exif:GPSLatitude>", ""),
  ])
  func `a property is blanked as a whole`(before: String, property: String, after: String) {
    let (text, fault) = blanked(Array((before + property + after).utf8))
    #expect(text == before + spaces(property) + after)
    #expect(fault == nil)
  }

  @Test(arguments: [
    "<a xmlns:gps='http://a' xmlns:GPSx=\"b\"/>", "<a b='GPS=1'>GPS</a>", "<gps:a/>",
    "<a b=\"exif:GPS\" c>", "<!-->", "<", "<a", "</", "<!", "<!-", "<?", "<a b", "<a b=", "<a b='",
    "GPS='1'", "<a></GPSx>",
  ])
  func `other text stays`(text: String) {
    let result = blanked(Array(text.utf8))
    #expect(result.text == text)
    #expect(result.fault == nil)
  }

  @Test(arguments: [
    "<a><exif:GPSLatitude>48,1N</a>", "<a exif:GPSLatitude=\"48,1N/>", "<exif:GPSLatitude",
  ])
  func `a property without an end is blanked, and unreadable`(text: String) {
    let result = blanked(Array(text.utf8))
    #expect(!result.text.contains("48") && result.text.utf8.count == text.utf8.count)
    #expect(result.fault?.kind == .unreadable)
  }

  /// A missing quote makes a reader take values for names, and names for values.
  @Test func `a position outside of properties is unreadable`() {
    let result = blanked(Array("<a b='1 exif:GPSLatitude='48,1N' c=''/>".utf8))
    #expect(result.fault?.kind == .unreadable)
    #expect(result.fault?.offset == 13)
  }

  @Test func `XMP in another encoding is unreadable`() {
    let text = "<a exif:GPSLatitude='48,1N'/>"
    let wide: [UInt8] = Array(text.utf8).flatMap { [$0, 0] }
    for bytes in [wide, [0xFF, 0xFE] + wide, [0] + wide, [0xFE, 0xFF, 0] + wide] {
      #expect(blanked(bytes).fault?.kind == .unreadable)
    }
    #expect(blanked([0xEF, 0xBB, 0xBF] + Array(text.utf8)).fault == nil)
  }

  @Test func `a property across the blocks of the reader is blanked`() {
    let property = "exif:GPSLatitude='48,1N'"
    for distance in 0..<40 {
      let before = "<a b='" + String(repeating: "x", count: XMPReader.blockSize - distance) + "' "
      let (text, fault) = blanked(Array((before + property + "/>").utf8))
      #expect(text == before + spaces(property) + "/>")
      #expect(fault == nil)
    }
  }

  @Test func `a missing part of extended XMP is unreadable`() {
    var random = SeededRandom(3)
    let packet = PhotoXMP(secret: Secret(&random)).packet
    var image = JPEGBuilder()
    image.extendedXMP(packet, parts: 1, &random)
    var bytes = image.output.bytes
    #expect(ImagePosition.find(in: bytes).fault == nil)
    // The offset of the only part.
    bytes[2 + 4 + 35 + 39] = 1
    #expect(ImagePosition.find(in: bytes).fault?.kind == .unreadable)
  }
}
