/// How an object is spelled as records.
///
/// A record holds at most 1 MB, so a longer object has parts: the record `1-NAME` has the first
/// one, `2-NAME` the next. Each says how long the whole is. A number goes first, as no name of a
/// record may begin with `_`, and that of a device may.
enum CloudKitParts {
  /// The bytes of one part: less than 1 MB in base64, too, if that should be what counts.
  static let partBytes = 704 << 10

  /// The names of the records of an object; nil for a size that no object has.
  static func names(of object: String, size: Int64) -> [String]? {
    guard (0...Int64(CloudLimits.objectBytesMax)).contains(size) else { return nil }
    let count = max(1, (Int(size) + partBytes - 1) / partBytes)
    return (1...count).map { "\($0)-\(object)" }
  }

  /// The name of the record that tells that an object is there.
  static func head(of object: String) -> String { "1-\(object)" }

  /// The object of such a record; nil for another one.
  static func object(ofHead name: String) -> String? {
    name.utf8.starts(with: "1-".utf8) && name.utf8.count > 2
      ? String(Substring(name.utf8.dropFirst(2))) : nil
  }

  /// The records that hold an object.
  static func records(_ object: String, _ bytes: [UInt8]) -> [CloudKitRecord] {
    let count = max(1, (bytes.count + partBytes - 1) / partBytes)
    return (1...count).map { number in
      let start = (number - 1) * partBytes
      return CloudKitRecord(
        name: "\(number)-\(object)",
        bytes: Array(bytes[start..<min(start + partBytes, bytes.count)]), size: Int64(bytes.count))
    }
  }
}
