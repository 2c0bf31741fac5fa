/// The ID of an entity: `<kind>/<key>`.
public struct EntityID: Sendable, Hashable, CustomStringConvertible {
  /// The kind of the entity: 1–64 of the characters `a–z 0–9 -`.
  public let kind: String
  /// The key, which is unique within the kind: 1–128 of the characters `A–Z a–z 0–9 . _ ~ -`.
  public let key: String

  /// Creates an entity ID, or returns `nil` if one of its parts isn't valid.
  ///
  /// - Parameters:
  ///   - kind: The kind of the entity.
  ///   - key: The key of the entity.
  public init?(kind: String, key: String) {
    guard (1...64).contains(kind.utf8.count), kind.utf8.allSatisfy(CharacterClass.kind.contains),
      (1...128).contains(key.utf8.count), key.utf8.allSatisfy(CharacterClass.key.contains)
    else { return nil }
    self.kind = kind
    self.key = key
  }

  /// Whether the bytes are a valid ID.
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

  /// Creates an entity ID from `<kind>/<key>`, or returns `nil` if `text` isn't valid.
  public init?(_ text: String) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    self.init(kind: String(text[..<slash]), key: String(text[text.index(after: slash)...]))
  }

  /// The ID in the form `<kind>/<key>`.
  public var description: String { "\(kind)/\(key)" }
}
