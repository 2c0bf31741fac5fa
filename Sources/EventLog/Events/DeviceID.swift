/// The name of one writer: 1–64 of `A–Z a–z 0–9 . _ -`.
///
/// A device ID is unique per copy of a journal: a copied or restored journal continues under a
/// fresh one.
public struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The ID as it is spelled in a journal.
  public let text: String

  /// Checks `text`; nil if it is no device ID.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy(CharacterClass.device.contains)
    else { return nil }
    self.text = text
  }

  package init(trusted text: String) { self.text = text }

  /// A fresh ID: `name`, reduced to the allowed characters, `-`, and `suffix`.
  package static func fresh(name: String, suffix: String) -> DeviceID {
    var base = name.utf8.map { CharacterClass.device.contains($0) ? $0 : UInt8(ascii: "-") }
    base = Array(base.prefix(64 - 1 - suffix.utf8.count))
    if base.isEmpty { base = Array("device".utf8) }
    return DeviceID(trusted: String(decoding: base, as: UTF8.self) + "-" + suffix)
  }

  /// The ID as it is spelled in a journal, the same as ``text``.
  public var description: String { text }

  /// Orders by bytes.
  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
