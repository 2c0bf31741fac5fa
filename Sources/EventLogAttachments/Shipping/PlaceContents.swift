package import EventLog

/// The named contents that a place had at the end of the last transfer with it.
///
/// They are in the cache of the side folder, for a status that asks no place. Only the beginnings
/// of the hashes are kept.
package struct PlaceContents: Sendable, Hashable {
  private var beginnings: Set<UInt64>

  private static let digitCount = 16
  private static let name = "contents"

  init(_ attachments: some Sequence<Attachment>) {
    beginnings = Set(attachments.map { Self.beginning(of: $0.sha256) })
  }

  /// Reads what was kept of a remote, or returns nil for nothing.
  package init?(of remote: String, in side: SideFolder) {
    guard let digits = side.kept(Self.name, in: Self.name, of: remote)?.plainText else {
      return nil
    }
    let bytes = Array(digits.utf8)
    beginnings = Set(
      stride(from: 0, to: bytes.count, by: Self.digitCount).map { start in
        let digits = bytes[start..<min(start + Self.digitCount, bytes.count)]
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
      })
  }

  /// Keeps the contents. On failure, the earlier ones remain.
  func keep(of remote: String, in side: SideFolder) {
    var text = ""
    text.reserveCapacity(beginnings.count * Self.digitCount)
    for beginning in beginnings.sorted() {
      let digits = String(beginning, radix: 16)
      text += String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
    }
    side.keep(.string(text), as: Self.name, in: Self.name, of: remote)
  }

  package func contains(_ attachment: Attachment) -> Bool {
    attachment.bytes == 0 || beginnings.contains(Self.beginning(of: attachment.sha256))
  }

  private static func beginning(of sha256: String) -> UInt64 {
    UInt64(String(decoding: sha256.utf8.prefix(digitCount), as: UTF8.self), radix: 16) ?? 0
  }
}
