/// What an event is about: `<kind>/<key>`.
///
/// Kind: 1–64 of `a–z 0–9 -`. Key: 1–128 of `A–Z a–z 0–9 . _ ~ -`.
public struct EntityID: Sendable, Hashable, CustomStringConvertible {
  /// The collection that the entity belongs to: 1–64 of `a–z 0–9 -`.
  public let kind: String
  /// What tells it apart from others of its kind: 1–128 of `A–Z a–z 0–9 . _ ~ -`.
  public let key: String

  /// Nil if one of the parts breaks its rule.
  public init?(kind: String, key: String) {
    guard (1...64).contains(kind.utf8.count), kind.utf8.allSatisfy(CharacterClass.kind.contains),
      (1...128).contains(key.utf8.count), key.utf8.allSatisfy(CharacterClass.key.contains)
    else { return nil }
    self.kind = kind
    self.key = key
  }

  /// Whether the bytes spell one.
  package static func isValid(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return false }
    let key = bytes[bytes.index(after: slash)...]
    return (1...64).contains(bytes.distance(from: bytes.startIndex, to: slash))
      && bytes[..<slash].allSatisfy(CharacterClass.kind.contains)
      && (1...128).contains(key.count) && key.allSatisfy(CharacterClass.key.contains)
  }

  package init(trustedKind kind: String, key: String) {
    self.kind = kind
    self.key = key
  }

  /// Reads `<kind>/<key>`; nil if `text` is anything else.
  public init?(_ text: String) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    self.init(kind: String(text[..<slash]), key: String(text[text.index(after: slash)...]))
  }

  /// `<kind>/<key>`.
  public var description: String { "\(kind)/\(key)" }
}
