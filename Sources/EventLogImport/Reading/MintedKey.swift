import EventLog

/// Derives keys and device IDs from names in a source, identically on every machine.
enum MintedKey {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Returns eight characters for some texts: 40 bits of their 64-bit FNV-1a hash.
  ///
  /// They distinguish the names in one user's data, but give no protection against deliberate
  /// collisions.
  static func digest(_ texts: String...) -> String { digest(of: texts) }

  /// Returns eight characters for a list of texts.
  static func digest(of texts: [String]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in texts {
      // A zero after each part separates the parts.
      for byte in Array(part.utf8) + [0] {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      }
    }
    hash ^= hash >> 29
    let bytes = (0..<8).map { alphabet[Int(truncatingIfNeeded: hash >> (5 * UInt64($0))) & 31] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the part of a key for a name: the name itself if all of it is allowed in a key;
  /// otherwise its allowed characters with `-` for the others, `~` and a digest.
  static func part(_ name: String) -> String {
    if !name.isEmpty, name.utf8.count <= 48, name.utf8.allSatisfy(isPlain) { return name }
    var slug: [UInt8] = []
    for byte in name.utf8.prefix(200) where slug.count < 40 {
      if isPlain(byte) {
        slug.append(byte)
      } else if slug.last != 0x2D, !slug.isEmpty {
        slug.append(0x2D)
      }
    }
    while slug.last == 0x2D { slug.removeLast() }
    return String(decoding: slug, as: UTF8.self) + "~" + digest(name)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  /// Returns the device ID of a place of a source, for one user.
  ///
  /// Each disallowed byte becomes one `-`. Don't change this format: a repeated import must find
  /// its device.
  static func device(of source: String, place: String, for user: String) -> DeviceID {
    let name = place.isEmpty ? source : "\(source)-\(place)"
    let plain = String(decoding: name.utf8.map { isPlain($0) ? $0 : 0x2D }, as: UTF8.self)
    return DeviceID.fresh(
      name: plain, suffix: place.isEmpty ? digest(user, source) : digest(user, source, place))
  }
}
