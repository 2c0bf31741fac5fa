/// The ID of a device: 1–64 of the characters `A–Z a–z 0–9 . _ -`.
///
/// A device ID is unique to one copy of a journal. A copied or restored journal continues under a
/// new device ID.
public struct DeviceID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The ID as it is written in a journal.
  public let text: String

  /// Creates a device ID, or returns `nil` if `text` isn't valid.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy(CharacterClass.device.contains)
    else { return nil }
    self.text = text
  }

  package init(trusted text: String) { self.text = text }

  /// A new ID: `name`, with `-` for each run of invalid characters, followed by `-` and `suffix`.
  package static func fresh(name: String, suffix: String) -> DeviceID {
    let parts = name.utf8.split { !CharacterClass.device.contains($0) }
    var base = Array(parts.joined(separator: [UInt8(ascii: "-")]))
    base = Array(base.prefix(64 - 1 - suffix.utf8.count))
    if base.isEmpty { base = Array("device".utf8) }
    return DeviceID(trusted: String(decoding: base, as: UTF8.self) + "-" + suffix)
  }

  /// The ID without its random characters and the `-` before them.
  package var base: Substring { text.lastIndex(of: "-").map { text[..<$0] } ?? text[...] }

  /// The ID as it is written in a journal, the same as ``text``.
  public var description: String { text }

  /// Returns whether the first ID is smaller, comparing bytes.
  public static func < (left: DeviceID, right: DeviceID) -> Bool {
    left.text.precedes(right.text)
  }
}
