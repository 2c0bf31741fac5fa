/// Divides an object into records.
///
/// A record has at most 1 MB, so a larger object has several parts, in the records `1-NAME`,
/// `2-NAME` and so on. Each contains the size of the whole object. The number comes first, because
/// a device's name can begin with `_`, and the name of a record can't.
///
/// In a nested storage, the names of records begin with `0-` and the storage's name, so that the
/// outer storage ignores them.
struct CloudKitParts: Sendable {
  /// The prefix of all names.
  var prefix = ""

  /// The maximum size of a part. It is below 1 MB even in base64, in case the limit applies to
  /// that.
  static let partBytes = 704 << 10

  /// The names of an object's records, or nil if the size is invalid.
  func names(of object: String, size: Int64) -> [String]? {
    guard (0...Int64(CloudLimits.objectBytesMax)).contains(size) else { return nil }
    let count = max(1, (Int(size) + Self.partBytes - 1) / Self.partBytes)
    return (1...count).map { "\(prefix)\($0)-\(object)" }
  }

  /// The name of an object's first record, which every object has.
  func head(of object: String) -> String { "\(prefix)1-\(object)" }

  /// The name of a first record's object, or nil for another record.
  func object(ofHead name: String) -> String? {
    let start = head(of: "").utf8
    return name.utf8.starts(with: start) && name.utf8.count > start.count
      ? String(Substring(name.utf8.dropFirst(start.count))) : nil
  }

  /// The records of an object.
  func records(_ object: String, _ bytes: [UInt8]) -> [CloudKitRecord] {
    let partBytes = Self.partBytes
    let count = max(1, (bytes.count + partBytes - 1) / partBytes)
    return (1...count).map { number in
      let start = (number - 1) * partBytes
      return CloudKitRecord(
        name: "\(prefix)\(number)-\(object)",
        bytes: Array(bytes[start..<min(start + partBytes, bytes.count)]), size: Int64(bytes.count))
    }
  }
}
