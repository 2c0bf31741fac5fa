/// The edits that remove the position from the metadata of an image or a video.
///
/// All edits keep the length. A position in Exif becomes a directory with only its version, one in
/// XMP becomes spaces, one in a chunk or box of its own becomes an unused chunk or box. Everything
/// else keeps its bytes: orientation, colors, dates, pixels.
///
/// Not removed: what a camera's maker writes in its own form (`MakerNote`), the names of places
/// (IPTC, `photoshop:City`), provenance statements (C2PA), and what the pixels show. A video's
/// position over time, in a track of its own, is reported as irremovable. A PNG's compressed
/// metadata (`zTXt`, compressed `iTXt`) is removed as a whole, with an orientation that only it
/// contains.
package struct ImagePosition: Equatable, Sendable {
  /// Nil for a file of any other kind, which has no edits.
  package var format: ImageFormat?
  /// Disjoint edits in the order of their offsets.
  package var edits: [ByteEdit] = []
  /// The first part that may still contain a position after the edits.
  package var fault: ImageFault?

  /// Finds the position in a file.
  ///
  /// It reads a few pages of most files, and all of a JPEG, twice if there are edits. It holds less
  /// than 16 MiB, and its time is bounded, whatever the file contains.
  ///
  /// - Parameters:
  ///   - byteCount: The length of the file.
  ///   - read: Returns `count` bytes from `offset`, or fewer if the file has ended.
  /// - Throws: The error of `read`. A damaged file has a `fault` instead.
  package static func find<Failure: Error>(
    byteCount: Int64,
    read: @escaping (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> ImagePosition {
    var failure: Failure?
    let reading: ImageScan.Read = { offset, count in
      if failure != nil { return nil }
      do throws(Failure) { return try read(offset, count) } catch {
        failure = error
        return nil
      }
    }
    var found = scan(byteCount, reading)
    if !found.edits.isEmpty { found.verify(byteCount, reading) }
    if let failure { throw failure }
    return found
  }

  /// Reports a position that the edits leave.
  ///
  /// Each part of a sound file has one meaning. In a hostile one, parts may overlap, so that an
  /// edit of one undoes that of another.
  private mutating func verify(_ byteCount: Int64, _ read: @escaping ImageScan.Read) {
    let edits = edits
    let second = Self.scan(byteCount) { offset, count in
      guard var bytes = read(offset, count) else { return nil }
      let range = offset..<offset + Int64(bytes.count)
      // The first edit that ends after the start of the range.
      var (low, high) = (0, edits.count)
      while low < high {
        let middle = (low + high) / 2
        if edits[middle].range.upperBound > offset { high = middle } else { low = middle + 1 }
      }
      for edit in edits[low...] {
        if edit.range.lowerBound >= range.upperBound { break }
        edit.apply(to: &bytes, at: offset)
      }
      return bytes
    }
    if fault != nil { return }
    fault = second.fault
    if fault == nil, let left = second.edits.first {
      fault = ImageFault(
        kind: .irremovable, offset: left.range.lowerBound, reason: "parts of the file overlap")
    }
  }

  private static func scan(_ byteCount: Int64, _ read: @escaping ImageScan.Read) -> ImagePosition {
    var scan = ImageScan(byteCount: byteCount, read: read)
    let format = ImageFormat(head: scan.prefix(scan.file, count: 16))
    switch format {
    case .jpeg: scan.scanJPEG(scan.file)
    case .png: scan.scanPNG(scan.file)
    case .webP: scan.scanWebP(scan.file)
    case .tiff: scan.scanTIFF(scan.file, depth: 0)
    case .isoMedia: scan.scanMedia(scan.file)
    case nil: break
    }
    return ImagePosition(format: format, edits: scan.edits.disjoint(), fault: scan.fault)
  }
}
