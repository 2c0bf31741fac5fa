/// The division of an object into records.
///
/// A record has at most 1 MB, so a longer object has parts: the record `1-NAME` has the first one,
/// `2-NAME` the next. Each contains the size of the whole object. The number is first because a
/// record's name can't begin with `_`, and a device's can.
enum CloudKitParts {
  /// The bytes of one part: less than 1 MB even in base64, in case the limit applies to that.
  static let partBytes = 704 << 10

  /// The names of an object's records; nil if the size is invalid.
  static func names(of object: String, size: Int64) -> [String]? {
    guard (0...Int64(CloudLimits.objectBytesMax)).contains(size) else { return nil }
    let count = max(1, (Int(size) + partBytes - 1) / partBytes)
    return (1...count).map { "\($0)-\(object)" }
  }

  /// The name of an object's first record, which exists if the object does.
  static func head(of object: String) -> String { "1-\(object)" }

  /// The object of a first record; nil for another record.
  static func object(ofHead name: String) -> String? {
    name.utf8.starts(with: "1-".utf8) && name.utf8.count > 2
      ? String(Substring(name.utf8.dropFirst(2))) : nil
  }

  /// The records of an object.
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
