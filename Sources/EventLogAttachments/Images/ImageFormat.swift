/// A container format that may have a position in its metadata.
package enum ImageFormat: Sendable {
  case jpeg
  case png
  case webP
  /// TIFF, including camera raw files that are TIFF inside, such as DNG.
  case tiff
  /// The boxes of ISO 14496-12 and QuickTime: HEIC, HEIF, AVIF, JPEG XL, MP4, MOV.
  case isoMedia

  /// The types of boxes that a file of `isoMedia` begins with.
  private static let firstBoxes: Set<String> = [
    "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", "JXL ",
  ]

  /// Returns nil if no format has files that begin with these bytes.
  ///
  /// - Parameter head: The first bytes of a file, 16 if it has as many.
  package init?(head: [UInt8]) {
    if head.starts(with: [0xFF, 0xD8]) {
      self = .jpeg
    } else if head.starts(with: PNG.signature) {
      self = .png
    } else if head.hasASCII("RIFF", at: 0), head.hasASCII("WEBP", at: 8) {
      self = .webP
    } else if ByteOrder(tiff: head) != nil {
      self = .tiff
    } else if head.count >= 8, Self.firstBoxes.contains(head.ascii(at: 4, count: 4)) {
      self = .isoMedia
    } else {
      return nil
    }
  }
}
