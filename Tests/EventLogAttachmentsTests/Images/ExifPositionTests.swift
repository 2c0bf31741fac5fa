import Testing

@testable import EventLogAttachments

/// The directories of Exif.
@Suite struct ExifPositionTests {
  private static var secret: Secret {
    var random = SeededRandom(7)
    return Secret(&random)
  }

  /// A structure whose only directory has these entries.
  private func tiff(_ entries: (TIFFBuilder) -> [TIFFBuilder.Entry]) -> [UInt8] {
    var builder = TIFFBuilder(bigEndian: true)
    let first = builder.write(entries(builder))
    return builder.finish(first: first).bytes
  }

  @Test(arguments: [true, false])
  func `the GPS directory keeps its version`(isBigEndian: Bool) throws {
    for hasVersion in [true, false] {
      let exif = PhotoExif(isBigEndian: isBigEndian, secret: Self.secret, hasVersion: hasVersion)
      let bytes = exif.tiff.bytes
      let edited = ImagePosition.find(in: bytes).edited(bytes)
      let order: ByteOrder = isBigEndian ? .bigEndian : .littleEndian
      let pointer = try #require(edited.run(order.bytes(UInt16(0x8825))))
      let directory = Int(edited.offset(at: pointer + 8, order))
      var expected = order.bytes(UInt16(1)) + order.bytes(UInt16(0)) + order.bytes(UInt16(1))
      expected += order.bytes(UInt32(4)) + (hasVersion ? [2, 2, 0, 0] : [2, 3, 0, 0])
      let count = hasVersion ? 8 : 7
      expected += [UInt8](repeating: 0, count: (count - 1) * 12)
      #expect(Array(edited[directory..<directory + expected.count]) == expected)
    }
  }

  @Test func `a directory with only a version or nothing is no position`() {
    let version = tiff { [$0.directory(0x8825, [$0.raw(0, type: 1, [2, 3, 0, 0])])] }
    let empty = tiff { [$0.directory(0x8825, [])] }
    for bytes in [version, empty] {
      let position = ImagePosition.find(in: bytes)
      #expect(position.edits == [] && position.fault == nil && position.format == .tiff)
    }
  }

  @Test func `XMP in a TIFF is searched`() {
    let packet = PhotoXMP(secret: Self.secret).packet
    let bytes = tiff { [$0.raw(0x02BC, type: 1, packet.bytes)] }
    let position = ImagePosition.find(in: bytes)
    #expect(position.edits.count == 2 && position.fault == nil)
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }

  @Test func `directories that refer to each other are visited once`() throws {
    var bytes = PhotoExif(secret: Self.secret).tiff.bytes
    let first = Int(bytes.offset(at: 4))
    let count = Int(bytes.offset(at: first, count: 2))
    bytes.replaceSubrange(first + 2 + count * 12..<first + 6 + count * 12, with: big(first, 4))
    let exif = try #require(bytes.run([0xA0, 0x05, 0, 4]))
    bytes.replaceSubrange(exif + 8..<exif + 12, with: big(first, 4))
    let position = ImagePosition.find(in: bytes)
    #expect(position.fault == nil)
    #expect(!Self.secret.isIn(position.edited(bytes)))
  }

  @Test func `a position that overlaps another directory is unreadable`() throws {
    var bytes = PhotoExif(secret: Self.secret).tiff.bytes
    let pointer = try #require(bytes.run([0x88, 0x25, 0, 4]))
    bytes.replaceSubrange(pointer + 8..<pointer + 12, with: bytes[4..<8])
    let first = Int(bytes.offset(at: 4))
    for offset in [first, first + 2] {
      bytes.replaceSubrange(pointer + 8..<pointer + 12, with: big(offset, 4))
      let position = ImagePosition.find(in: bytes)
      #expect(position.edits == [])
      #expect(position.fault?.kind == .unreadable)
    }
  }

  @Test func `a position that is also another directory is unreadable`() throws {
    var bytes = PhotoExif(secret: Self.secret).tiff.bytes
    let position = try #require(bytes.run([0x88, 0x25, 0, 4])) + 8
    let exif = try #require(bytes.run([0x87, 0x69, 0, 4])) + 8
    bytes.replaceSubrange(exif..<exif + 4, with: bytes[position..<position + 4])
    #expect(ImagePosition.find(in: bytes).fault?.kind == .unreadable)
  }

  @Test func `values and directories outside of the file are unreadable`() throws {
    let bytes = PhotoExif(secret: Self.secret).tiff.bytes
    let latitude = try #require(bytes.run([0, 2, 0, 5, 0, 0, 0, 3]))
    for (offset, field) in [
      (latitude + 8, big(0xFFFF_FFFF, 4)), (latitude + 4, big(0xFFFF_FFFF, 4)),
      (latitude + 8, big(bytes.count - 23, 4)), (latitude + 2, [0, 99]),
      (try #require(bytes.run([0x88, 0x25, 0, 4])) + 8, big(0xFFFF_FFF0, 4)),
      (4, big(0xFFFF_FFFF, 4)), (4, big(bytes.count - 1, 4)),
    ] as [(Int, [UInt8])] {
      var changed = bytes
      changed.replaceSubrange(offset..<offset + field.count, with: field)
      #expect(ImagePosition.find(in: changed).fault?.kind == .unreadable, "\(offset)")
    }
  }

  @Test func `a file of thousands of directories is unreadable`() {
    let bytes = tiff { builder in
      (0..<600).map { builder.long(0x8769, 8 + $0) }
    }
    #expect(ImagePosition.find(in: bytes).fault?.kind == .unreadable)
  }

  @Test func `Exif without a TIFF header is unreadable`() {
    var random = SeededRandom(1)
    var image = JPEGBuilder()
    image.segment(0xE1, PlantedBytes("Exif\0\0MM\0+"))
    image.pixels(&random)
    let position = ImagePosition.find(in: image.output.bytes)
    #expect(
      position.fault
        == ImageFault(
          kind: .unreadable, offset: 6, reason: "it has Exif that continues no other"))
  }
}
