package import EventLog

/// Finds the hashes of contents in the bytes of a line, whatever its type and schema.
package enum ContentHashes {
  private static let count = 64

  /// The runs of at least 64 lowercase hexadecimal digits.
  ///
  /// A longer run contains several hashes.
  ///
  /// - Complexity: O(*n* / 64) for bytes without such digits, where *n* is the number of bytes.
  package static func runs(in bytes: Span<UInt8>, _ range: ByteRange) -> [Range<Int>] {
    let end = Int(range.offset) + Int(range.count)
    var (found, start) = ([Range<Int>](), Int(range.offset))
    while start + count <= end {
      // A run that begins here or later in these bytes contains the last of them.
      guard isDigit(bytes[start + count - 1]) else {
        start += count
        continue
      }
      var (first, last) = (start + count - 1, start + count)
      while first > start, isDigit(bytes[first - 1]) { first -= 1 }
      while last < end, isDigit(bytes[last]) { last += 1 }
      if last - first >= count { found.append(first..<last) }
      start = last
    }
    return found
  }

  /// The hash that a run is, or nil if it is longer.
  package static func hash(_ run: Range<Int>, in bytes: Span<UInt8>) -> String? {
    run.count == count
      ? bytes.text(ByteRange(offset: Int32(run.lowerBound), count: Int32(count))) : nil
  }

  /// Hashes of contents, and longer runs of digits, which contain several.
  package struct Collected: Sendable {
    private var hashes: Set<String> = []
    private var longRuns: Set<[UInt8]> = []

    package init() {}

    package mutating func add(_ run: Range<Int>, in bytes: Span<UInt8>) {
      if let hash = ContentHashes.hash(run, in: bytes) {
        hashes.insert(hash)
      } else {
        let range = ByteRange(offset: Int32(run.lowerBound), count: Int32(run.count))
        longRuns.insert(bytes.copy(range))
      }
    }

    package func contains(_ hash: String) -> Bool {
      hashes.contains(hash) || longRuns.contains { $0.containsBytes(of: hash) }
    }
  }

  /// Whether a text is a hash.
  package static func isHash(_ text: String) -> Bool {
    text.utf8.count == count && text.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// The event that releases a content.
  package static func releasing(_ sha256: String) -> EventDraft {
    EventDraft(type: "content.released", data: ["sha256": .string(sha256)])
  }
}
