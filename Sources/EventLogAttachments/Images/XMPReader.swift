/// The state of reading XMP in blocks.
struct XMPReader {
  /// The open element of a property to remove.
  struct Element {
    var name: XMPName
    var start: Int64
    /// The open elements of this name.
    var depth = 1
  }

  static let blockSize = 16 << 10

  let region: ByteRegion
  var block: [UInt8] = []
  var blockStart: Int64 = 0
  var index = 0
  var element: Element?
  /// The offset of the first `GPSL`, as in GPSLatitude, that no edit has removed.
  ///
  /// If quotes or brackets are missing, this reader may take a property for text that other readers
  /// find.
  private(set) var mention: Int64?
  /// The last four bytes in lower case.
  private var recent: UInt32 = 0
  private static let mentioned: UInt32 = 0x6770_736C

  init(_ region: ByteRegion) { self.region = region }

  /// The offset of the next byte.
  var offset: Int64 { blockStart + Int64(index) }

  mutating func take() -> UInt8 {
    let byte = block[index]
    index += 1
    recent = recent << 8 | UInt32(byte | 0x20)
    if recent == Self.mentioned, mention == nil { mention = offset - 4 }
    return byte
  }

  /// Forgets mentions in an edit, which begins at `start` and ends at the current offset or later.
  mutating func forgetMentions(from start: Int64) {
    if let mention, mention >= start { self.mention = nil }
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  static func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">")
      || byte == UInt8(ascii: "/")
  }
}

/// A qualified name in XML.
struct XMPName: Equatable {
  private var bytes: [UInt8] = []
  private static let countMax = 256

  /// Adds a byte; those of an unusually long name are ignored.
  mutating func append(_ byte: UInt8) {
    if bytes.count < Self.countMax { bytes.append(byte) }
  }

  /// Whether the name is that of a property with a position, or of a part of one.
  ///
  /// The prefix doesn't count, because a file may bind any prefix to the namespace of Exif. Drones
  /// write such names in namespaces of their own.
  var isPosition: Bool {
    let colon = bytes.lastIndex(of: UInt8(ascii: ":"))
    if let colon, bytes[..<colon].elementsEqual("xmlns".utf8) { return false }
    let local = bytes[((colon ?? -1) + 1)...].map { $0 | 0x20 }
    return local.starts(with: "gps".utf8) || Self.parts.contains { Self.has(local, $0) }
  }

  /// `longtitude` is how one maker spells it.
  private static let parts = ["latitude", "longitude", "longtitude", "altitude"].map {
    Array($0.utf8)
  }

  private static func has(_ name: [UInt8], _ part: [UInt8]) -> Bool {
    guard name.count >= part.count else { return false }
    return (0...name.count - part.count).contains { start in
      part.indices.allSatisfy { name[start + $0] == part[$0] }
    }
  }
}
