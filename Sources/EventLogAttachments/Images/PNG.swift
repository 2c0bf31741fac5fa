/// Signatures, types and keywords of PNG.
enum PNG {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A type of chunk that no decoder has a use for: ancillary, private, and safe to copy.
  static let unusedType = Array("noPs".utf8)

  struct Chunk {
    let type: String
    /// The type and the data.
    let content: ByteRegion
    /// The offset of the checksum in the file's region.
    let checksumOffset: Int64

    static let typeCount: Int64 = 4

    var data: ByteRegion { content.part(from: Self.typeCount) }
  }

  /// The contents of text chunks in which tools store metadata.
  enum TextKind {
    case xmp
    /// Hexadecimal digits, as ImageMagick writes them.
    case profile
    /// A value of the GPS directory as text.
    case position

    /// Returns nil for text without metadata.
    init?(keyword: String) {
      let lower = keyword.lowercased()
      if lower == "xml:com.adobe.xmp" {
        self = .xmp
      } else if ["exif", "app1", "xmp"].contains(where: { lower == "raw profile type \($0)" }) {
        self = .profile
      } else if lower.hasPrefix("exif:gps") {
        self = .position
      } else {
        return nil
      }
    }
  }
}
