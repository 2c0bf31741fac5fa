import EventLog

/// The digests of the published documents in a bucket, by path.
struct PublishedBucket: Sendable, Hashable {
  var documents: [String: String] = [:]

  init() {}

  /// Parses the text of a bucket. Nil if it is invalid.
  init?(_ text: String) {
    guard case .object(let object)? = try? JSONValue(parsing: text.utf8) else { return nil }
    for member in object.members {
      guard case .string(let digest) = member.value else { return nil }
      documents[member.name] = digest
    }
  }

  var text: String {
    JSONValue.sorted(documents.map { .init(name: $0.key, value: .string($0.value)) }).text
  }

  var digest: String { documents.isEmpty ? "" : SHA256.short(text) }

  /// Returns the number of a path's bucket.
  static func number(of path: String) -> Int {
    Int(SHA256.digest(Array(path.utf8))[0]) % PublishedState.bucketCount
  }

  /// Returns the name of a bucket's text.
  static func name(_ number: Int, of layout: String) -> String { "\(layout).\(number)" }
}

extension SHA256 {
  /// Returns the first 8 bytes of a text's digest, in hexadecimal.
  static func short(_ text: String) -> String {
    hexadecimal(Array(digest(Array(text.utf8)).prefix(8)))
  }
}
