/// The state of a scanner between lines, because consecutive lines are much alike.
package struct ScanMemo: Sendable {
  var dates = DateMemo()
  var devices = KnownNames(end: UInt8(ascii: ":"), secondWord: 0)
  /// Types of the same kind differ only after the first word.
  var types = KnownNames(end: UInt8(ascii: "\""), secondWord: 8)

  package init() {}
}

/// Names already validated, which are recognized without checking each byte.
///
/// After every base, ``CanonicalScanner/padding`` bytes must be readable.
struct KnownNames: Sendable {
  private let end: UInt8
  private let secondWord: Int
  private var names = Array(repeating: KnownName(), count: 16)

  /// - Parameters:
  ///   - end: The byte after each name.
  ///   - secondWord: The offset of a word that distinguishes names, besides the first.
  init(end: UInt8, secondWord: Int) { (self.end, self.secondWord) = (end, secondWord) }

  /// The length of the name at `base` if it is known, otherwise 0.
  @inline(__always)
  func length(at base: UnsafePointer<UInt8>) -> Int {
    names[slotIndex(of: base)].length(at: base, endedBy: end)
  }

  mutating func note(_ base: UnsafePointer<UInt8>, count: Int) {
    names[slotIndex(of: base)] = KnownName(base, count: count)
  }

  /// The words may extend past the name, because the bytes after it seldom differ.
  @inline(__always)
  private func slotIndex(of base: UnsafePointer<UInt8>) -> Int {
    let raw = UnsafeRawPointer(base)
    let mixed =
      (raw.loadUnaligned(as: UInt64.self)
        ^ raw.loadUnaligned(fromByteOffset: secondWord, as: UInt64.self).byteSwapped)
      &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 60)
  }
}

private struct KnownName: Sendable {
  /// Three words cover a name of 8 to 24 bytes; they overlap if it is shorter than 24.
  private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var count = 0

  /// Matches no name.
  init() {}

  /// The name at `base`; matches no name if its length is out of range.
  init(_ base: UnsafePointer<UInt8>, count: Int) {
    guard count >= 8, count <= 24 else { return }
    self.count = count
    words = Self.words(base, count)
  }

  /// The length if this name is at `base`, followed by `end`; otherwise 0.
  @inline(__always)
  func length(at base: UnsafePointer<UInt8>, endedBy end: UInt8) -> Int {
    count > 0 && base[count] == end && words == Self.words(base, count) ? count : 0
  }

  @inline(__always)
  private static func words(
    _ base: UnsafePointer<UInt8>, _ count: Int
  ) -> (UInt64, UInt64, UInt64) {
    func word(_ offset: Int) -> UInt64 {
      UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    return (word(0), word(min(8, count &- 8)), word(count &- 8))
  }
}
