import Testing

@testable import EventLogAttachments

/// The removal of a position from files of each format.
@Suite struct ImagePositionTests {
  private static func secrets(_ seed: UInt64) -> (Secret, Secret) {
    var random = SeededRandom(~seed)
    return (Secret(&random), Secret(&random))
  }

  @Test(arguments: PhotoFile.allCases)
  func `a position is removed, and everything else stays`(_ kind: PhotoFile) {
    for seed in 0..<60 as Range<UInt64> {
      let (secret, _) = Self.secrets(seed)
      let file = kind.make(seed, secret)
      #expect(secret.isIn(file.bytes))
      let position = ImagePosition.find(in: file.bytes)
      #expect(position.fault == nil, "seed \(seed)")
      #expect(position.format != nil)
      let edited = position.edited(file.bytes)
      #expect(edited.count == file.count)
      #expect(!secret.isIn(edited), "seed \(seed)")
      let changed = edited.indices.filter { edited[$0] != file.bytes[$0] }
      let wrong = changed.filter { !file.isPosition[$0] }
      #expect(wrong.isEmpty, "seed \(seed)")
    }
  }

  /// So nothing about the position is left, in whatever form.
  @Test(arguments: PhotoFile.allCases)
  func `files that differ only in their positions are the same without them`(_ kind: PhotoFile) {
    for seed in 0..<40 as Range<UInt64> {
      let (one, other) = Self.secrets(seed)
      let files = [kind.make(seed, one).bytes, kind.make(seed, other).bytes]
      #expect(files[0] != files[1])
      let edited = files.map { ImagePosition.find(in: $0).edited($0) }
      #expect(edited[0] == edited[1], "seed \(seed)")
    }
  }

  @Test(arguments: PhotoFile.allCases)
  func `a file without its position has no edits`(_ kind: PhotoFile) {
    for seed in 0..<40 as Range<UInt64> {
      let bytes = kind.make(seed, Self.secrets(seed).0).bytes
      let edited = ImagePosition.find(in: bytes).edited(bytes)
      let second = ImagePosition.find(in: edited)
      #expect(second.edits == [] && second.fault == nil, "seed \(seed)")
    }
  }

  @Test(arguments: PhotoFile.allCases)
  func `chunks of any length are edited alike`(_ kind: PhotoFile) {
    for seed in 0..<5 as Range<UInt64> {
      let bytes = kind.make(seed, Self.secrets(seed).0).bytes
      let position = ImagePosition.find(in: bytes)
      let whole = position.edited(bytes)
      for chunk in [1, 2, 7, 64, 1000] { #expect(position.edited(bytes, chunk: chunk) == whole) }
    }
  }

  @Test func `the orientation stays`() {
    for orientation in 1...8 {
      for isBigEndian in [true, false] {
        var random = SeededRandom(1)
        let exif = PhotoExif(
          isBigEndian: isBigEndian, orientation: orientation, secret: Secret(&random))
        let bytes = exif.tiff.bytes
        let edited = ImagePosition.find(in: bytes).edited(bytes)
        let order: ByteOrder = isBigEndian ? .bigEndian : .littleEndian
        let directory = Int(edited.offset(at: 4, order))
        let entries = (0..<Int(edited.offset(at: directory, count: 2, order))).map {
          directory + 2 + $0 * 12
        }
        let entry = entries.first { edited.offset(at: $0, count: 2, order) == 0x0112 }
        #expect(entry.map { edited.offset(at: $0 + 8, count: 2, order) } == Int64(orientation))
      }
    }
  }

  @Test func `files of other kinds have no edits`() {
    let texts = ["", "a", "GIF89a exif:GPSLatitude=\"1\"", "%PDF-1.7", "RIFF....AVI LIST"]
    for bytes in texts.map({ Array($0.utf8) }) + [[0xFF], [0xFF, 0xD7, 0, 0]] {
      #expect(ImagePosition.find(in: bytes) == ImagePosition())
    }
  }

  @Test func `an error of the reader is thrown`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try ImagePosition.find(byteCount: 100) { _, _ throws(Failure) in throw Failure() }
    }
    // Also while it checks the edits.
    let bytes = PhotoExif(secret: Self.secrets(1).0).tiff.bytes
    var count = 0
    #expect(throws: Failure.self) {
      try ImagePosition.find(byteCount: Int64(bytes.count)) { offset, length throws(Failure) in
        count += 1
        if count > 1 { throw Failure() }
        return Array(bytes[Int(offset)..<Int(offset) + length])
      }
    }
  }

  @Test func `a file that becomes shorter is unreadable`() {
    let bytes = PhotoExif(secret: Self.secrets(1).0).tiff.bytes
    let position = ImagePosition.find(byteCount: Int64(bytes.count) + 100_000) { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    #expect(position.fault == nil && !position.edits.isEmpty)
    let short = ImagePosition.find(byteCount: Int64(bytes.count)) { offset, count in
      Array(bytes.prefix(20).dropFirst(Int(offset)).prefix(count))
    }
    #expect(short.fault?.kind == .unreadable)
  }

  /// A movie of 1 TiB has its metadata after the pictures.
  @Test func `a large file isn't read as a whole`() {
    let (secret, _) = Self.secrets(1)
    let movie = BoxBuilder.movie(secret, isQuickTime: true).bytes
    let length: Int64 = 1 << 40
    let head = BoxBuilder.fileType.bytes + big(1, 4) + Array("mdat".utf8) + big(Int(length), 8)
    let movieStart = Int64(BoxBuilder.fileType.count) + length
    var readCount = 0
    let position = ImagePosition.find(byteCount: movieStart + Int64(movie.count)) { offset, count in
      readCount += count
      #expect(count <= 64 << 10)
      return (offset..<offset + Int64(count)).map { index in
        if index < head.count { return head[Int(index)] }
        return index < movieStart ? 0 : movie[Int(index - movieStart)]
      }
    }
    #expect(position.fault == nil)
    #expect(position.edits.count > 5)
    #expect(position.edits.allSatisfy { $0.range.lowerBound > movieStart })
    #expect(readCount < 1 << 20)
  }
}
