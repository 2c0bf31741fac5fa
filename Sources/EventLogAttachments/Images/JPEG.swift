/// The markers and signatures of JPEG (ITU T.81) with Exif and XMP.
enum JPEG {
  static let startOfImage: UInt8 = 0xD8
  static let endOfImage: UInt8 = 0xD9
  static let startOfScan: UInt8 = 0xDA
  static let app1: UInt8 = 0xE1

  static let exifSignature = Array("Exif\0".utf8)
  static let exifSignatureCount: Int64 = 6
  static let xmpSignature = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let extendedXMPSignature = Array("http://ns.adobe.com/xmp/extension/\0".utf8)

  /// Whether a marker has no length after it.
  static func isAlone(_ marker: UInt8) -> Bool {
    marker == 0x01 || (0xD0...0xD9).contains(marker)
  }

  /// Returns the index of the next marker: 0xFF and a byte that isn't entropy-coded data, padding,
  /// or a restart.
  static func marker(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == 0xFF {
        let next = bytes[index + 1]
        if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return index }
      }
      index += 1
    }
    return nil
  }
}

/// The APP1 segments of one image whose content is divided into several.
struct JPEGMetadata {
  /// The TIFF of each Exif segment with those that continue it.
  private(set) var exif: [[Range<Int64>]] = []
  /// The parts of extended XMP, by GUID.
  private(set) var extendedXMP: [[UInt8]: [ExtendedXMPPart]] = [:]
  private var partCount = 0

  struct ExtendedXMPPart {
    var offset: Int64
    var pieces: [Range<Int64>]
  }

  /// The maximum number of segments that are held until the end of their image.
  static let partsMax = 1 << 16

  /// Adds a segment's TIFF, or nothing if it continues none.
  mutating func addExif(_ pieces: [Range<Int64>], isStart: Bool) -> Bool {
    guard hold(), isStart || !exif.isEmpty else { return false }
    if isStart { exif.append(pieces) } else { exif[exif.count - 1] += pieces }
    return true
  }

  mutating func addExtendedXMP(_ part: ExtendedXMPPart, guid: [UInt8]) -> Bool {
    guard hold() else { return false }
    extendedXMP[guid, default: []].append(part)
    return true
  }

  private mutating func hold() -> Bool {
    partCount += 1
    return partCount <= Self.partsMax
  }
}
