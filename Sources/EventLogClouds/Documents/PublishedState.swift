import EventLog

/// The publishing state, which a document store keeps with the documents.
///
/// Buckets contain the paths and digests of all documents, by the path's hash. The state contains
/// the digest of each bucket, so the next publisher reads only the buckets that will differ. A
/// commit changes documents, their buckets and the state together, so the state is right even if a
/// run was interrupted between two commits.
struct PublishedState: Sendable, Hashable {
  static let bucketCount = 64

  /// The frontier of the documents, once an interrupted run is finished.
  var frontier: VectorClock
  /// The version of the layout.
  var version: Int
  /// The digest of each bucket; an empty string if the bucket is empty.
  var digests: [String]

  /// The digests of a store without documents.
  static let none = [String](repeating: "", count: bucketCount)

  init(frontier: VectorClock, version: Int, digests: [String]) {
    (self.frontier, self.version, self.digests) = (frontier, version, digests)
  }

  /// Reads ``text``; nil if it is invalid.
  init?(_ text: String) {
    guard let json = try? JSONValue(parsing: text.utf8), case .array(let names)? = json["frontier"],
      case .number(let number)? = json["version"], let version = number.integer,
      case .array(let values)? = json["buckets"], values.count == Self.bucketCount
    else { return nil }
    var tips: [FullEventID] = []
    for name in names {
      guard case .string(let text) = name, let tip = FullEventID(text) else { return nil }
      tips.append(tip)
    }
    var digests: [String] = []
    for value in values {
      guard case .string(let digest) = value else { return nil }
      digests.append(digest)
    }
    self.init(frontier: VectorClock(tips), version: Int(version), digests: digests)
  }

  var text: String {
    let json: JSONValue = [
      "buckets": .array(digests.map { .string($0) }),
      "frontier": .array(frontier.tips.map { .string($0.description) }),
      "version": .number(JSONNumber(Int64(version))),
    ]
    return json.text
  }
}

/// The digests of some published documents, by path.
struct PublishedBucket: Sendable, Hashable {
  var documents: [String: String] = [:]

  init() {}

  /// Reads ``text``; nil if it is invalid.
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

  /// The number of a path's bucket.
  static func number(of path: String) -> Int {
    Int(SHA256.digest(Array(path.utf8))[0]) % PublishedState.bucketCount
  }

  /// The name of a bucket's text.
  static func name(_ number: Int, of layout: String) -> String { "\(layout).\(number)" }
}

extension PublishedDocument {
  /// A digest of the fields, without the path.
  var digest: String {
    let fields = fields.map { name, value -> JSONObject.Member in
      switch value {
      case .json(let json): .init(name: name, value: ["json": json])
      case .timestamp(let time):
        .init(name: name, value: ["timestamp": .string(time.description)])
      }
    }
    return SHA256.short(JSONValue.sorted(fields).text)
  }
}

extension SHA256 {
  /// The first 8 bytes of a text's digest, in hexadecimal.
  fileprivate static func short(_ text: String) -> String {
    hexadecimal(Array(digest(Array(text.utf8)).prefix(8)))
  }
}
