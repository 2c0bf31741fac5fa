import EventLog

/// The name of an object that contains a part of an attachment: its SHA-256 and the offset of the
/// part, as 12 digits.
struct AttachmentPart: Sendable, Hashable {
  let sha256: String
  let offset: Int64

  init(_ sha256: String, at offset: Int64) { (self.sha256, self.offset) = (sha256, offset) }

  /// Nil for a name of another form.
  init?(_ name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, ContentHashes.isHash(String(parts[0])), parts[1].utf8.count == 12,
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let offset = Int64(parts[1])
    else { return nil }
    self.init(String(parts[0]), at: offset)
  }

  var name: String {
    let digits = String(offset)
    return "\(sha256)-\(String(repeating: "0", count: max(0, 12 - digits.count)))\(digits)"
  }
}
