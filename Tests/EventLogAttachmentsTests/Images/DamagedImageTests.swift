import Testing

@testable import EventLogAttachments

/// Images that are cut off, changed at random, or made to harm.
@Suite struct DamagedImageTests {
  private static func file(_ kind: PhotoFile, _ seed: UInt64) -> (bytes: [UInt8], secret: Secret) {
    var random = SeededRandom(~seed)
    let secret = Secret(&random)
    return (kind.make(seed, secret).bytes, secret)
  }

  private func check(_ position: ImagePosition, _ bytes: [UInt8], _ context: Comment) {
    var end: Int64 = 0
    for edit in position.edits {
      #expect(edit.range.lowerBound >= end && !edit.range.isEmpty, context)
      end = edit.range.upperBound
    }
    #expect(end <= Int64(bytes.count), context)
    if position.fault != nil { return }
    let second = ImagePosition.find(in: position.edited(bytes))
    #expect(second.edits == [] && second.fault == nil, context)
  }

  @Test(arguments: PhotoFile.allCases)
  func `a file cut off at any byte keeps no position without a fault`(_ kind: PhotoFile) {
    // The shortest of some files, because each byte takes a search.
    let files = (0..<20).map { Self.file(kind, $0) }
    let (bytes, secret) = files.min { $0.bytes.count < $1.bytes.count }!
    for count in 0..<bytes.count {
      let short = Array(bytes.prefix(count))
      let position = ImagePosition.find(in: short)
      // Bytes before the signature's end are of no format.
      if position.fault != nil || position.format == nil { continue }
      #expect(!secret.isIn(position.edited(short)), "\(count) bytes")
    }
  }

  @Test(arguments: PhotoFile.allCases)
  func `a file with random changes has edits inside of it`(_ kind: PhotoFile) {
    var changed = 0
    for seed in 0..<400 as Range<UInt64> {
      var (bytes, _) = Self.file(kind, seed / 20)
      var random = SeededRandom(seed)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 8..<bytes.count - 4, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2: bytes.replaceSubrange(index..<index + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        default: bytes.removeSubrange(index..<index + Int.random(in: 0...4, using: &random))
        }
      }
      let position = ImagePosition.find(in: bytes)
      if position.fault != nil { changed += 1 }
      check(position, bytes, "seed \(seed)")
    }
    #expect(changed > 20)
  }

  @Test(arguments: PhotoFile.allCases)
  func `a file with parts of another one has edits inside of it`(_ kind: PhotoFile) {
    for seed in 0..<100 as Range<UInt64> {
      var random = SeededRandom(seed)
      let (bytes, _) = Self.file(kind, seed)
      let (other, _) = Self.file(PhotoFile.allCases.randomElement(using: &random)!, seed)
      let cut = Int.random(in: 8..<bytes.count, using: &random)
      let start = Int.random(in: 0..<other.count, using: &random)
      let mixed = Array(bytes[..<cut] + other[start...])
      check(ImagePosition.find(in: mixed), mixed, "seed \(seed)")
    }
  }

  // MARK: - Bounds

  @Test func `a file of too many parts is unreadable`() {
    var file = PNGBuilder().output.bytes
    var chunk = PNGBuilder()
    chunk.chunk("abCd", PlantedBytes())
    for _ in 0..<300_000 { file += chunk.output.bytes[8...] }
    let position = ImagePosition.find(in: file)
    #expect(position.fault?.kind == .unreadable)
    #expect(position.fault?.reason == "it has too many parts")
  }

  @Test func `more edits than the limit are irremovable`() {
    let text = "<a " + String(repeating: "GPS='1' b='' ", count: ImageScan.editsMax + 10) + "/>"
    var image = PNGBuilder()
    image.internationalText("XML:com.adobe.xmp", PlantedBytes(text))
    image.chunk("IEND", PlantedBytes())
    let position = ImagePosition.find(in: image.output.bytes)
    #expect(position.fault?.kind == .irremovable)
    #expect(position.edits.count <= ImageScan.editsMax)
  }

  @Test func `many items of the same bytes are searched a bounded number of times`() throws {
    var file = HEIFBuilder()
    file.isMetaLast = true
    file.items = (1...300).map { id in
      .init(id: id, type: "mime", mediaType: "application/rdf+xml", content: PlantedBytes())
    }
    var random = SeededRandom(1)
    file.items[0].content = PlantedBytes(String(repeating: "<a b='c'>", count: 10_000))
    var bytes = file.file(&random).bytes
    // All items get the fields of the first, after its ID.
    let locations = try #require(bytes.run(Array("iloc".utf8))) + 12
    bytes.replaceSubrange(locations - 12..<locations - 8, with: Array("free".utf8))
    let fields = Array(bytes[locations + 2..<locations + 16])
    let list = (1...300).flatMap { big($0, 2) + fields }
    let box = [1, 0, 0, 0, 0x44, 0] + big(300, 2) + list
    let extra = BoxBuilder.box("iloc", PlantedBytes(box)).bytes
    let meta = try #require(bytes.run(Array("meta".utf8)))
    bytes.replaceSubrange(
      meta - 4..<meta, with: big(Int(bytes.offset(at: meta - 4)) + extra.count, 4))
    bytes.insert(contentsOf: extra, at: try #require(bytes.run(Array("hdlr".utf8))) - 4)
    #expect(ImagePosition.find(in: bytes).fault?.reason == "its parts overlap")
  }

  @Test func `images nested too deep are unreadable`() {
    var random = SeededRandom(1)
    var tiff = PhotoExif(secret: Secret(&random)).tiff
    for _ in 0..<9 {
      var thumbnail = JPEGBuilder()
      thumbnail.exif(tiff, parts: 1, &random)
      thumbnail.pixels(&random)
      tiff = PhotoExif(thumbnail: thumbnail.output).tiff
    }
    let position = ImagePosition.find(in: tiff.bytes)
    #expect(position.fault?.reason == "its images are nested too deep")
  }
}
