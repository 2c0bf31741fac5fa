/// What a scanner remembers from line to line: lines that follow each other are much alike.
package struct ScanMemo: Sendable {
  var dates = DateMemo()
  var devices = KnownNames(end: UInt8(ascii: ":"), secondWord: 0)
  /// Those of one kind differ behind their first word only.
  var types = KnownNames(end: UInt8(ascii: "\""), secondWord: 8)

  package init() {}
}

/// Names that were found to keep the rules for their bytes, so that they are known again without a
/// look at each byte. Behind every base, ``CanonicalScanner/padding`` bytes are readable.
struct KnownNames: Sendable {
  private let end: UInt8
  private let secondWord: Int
  private var names = Array(repeating: KnownName(), count: 16)

  /// - Parameters:
  ///   - end: the byte behind each name.
  ///   - secondWord: where the bytes begin that tell names apart besides the first eight.
  init(end: UInt8, secondWord: Int) { (self.end, self.secondWord) = (end, secondWord) }

  /// The length of the name at `base`, if it is known; else 0.
  @inline(__always)
  func length(at base: UnsafePointer<UInt8>) -> Int {
    names[place(of: base)].length(at: base, endedBy: end)
  }

  mutating func note(_ base: UnsafePointer<UInt8>, count: Int) {
    names[place(of: base)] = KnownName(base, count: count)
  }

  /// By bytes of which some may stand behind the name: what follows it is much the same.
  @inline(__always)
  private func place(of base: UnsafePointer<UInt8>) -> Int {
    let raw = UnsafeRawPointer(base)
    let mixed =
      (raw.loadUnaligned(as: UInt64.self)
        ^ raw.loadUnaligned(fromByteOffset: secondWord, as: UInt64.self).byteSwapped)
      &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 60)
  }
}

private struct KnownName: Sendable {
  /// Three words hold a name of 8 to 24 bytes, some of its bytes twice.
  private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var count = 0

  /// No name.
  init() {}

  /// The name at `base`; no name where its length is another.
  init(_ base: UnsafePointer<UInt8>, count: Int) {
    guard count >= 8, count <= 24 else { return }
    self.count = count
    words = Self.words(base, count)
  }

  /// Its length, if it stands at `base` with `end` behind it; else 0.
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
