import EventLog

/// What a place remembers about publishing.
///
/// The paths and digests of all documents stand in buckets, by the path. The state has the digest
/// of each bucket, so whoever publishes next reads only the buckets that will differ. A commit
/// changes documents, their buckets and the state together: what is remembered is what is there,
/// also where a run was interrupted between two commits.
struct PublishedState: Sendable, Hashable {
  static let bucketCount = 64

  /// The events that the documents are the state of, at the latest once an interrupted run is
  /// finished.
  var frontier: VectorClock
  /// The version of the layout.
  var version: Int
  /// The digest of each bucket; empty for an empty one.
  var digests: [String]

  /// What a place remembers that has no documents.
  static let none = [String](repeating: "", count: bucketCount)

  init(frontier: VectorClock, version: Int, digests: [String]) {
    (self.frontier, self.version, self.digests) = (frontier, version, digests)
  }

  /// Reads what ``text`` says; nil for anything else.
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

/// Some of the documents that were published: their digests by path.
struct PublishedBucket: Sendable, Hashable {
  var documents: [String: String] = [:]

  init() {}

  /// Reads what ``text`` says; nil for anything else.
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

  /// The bucket of a path.
  static func number(of path: String) -> Int {
    Int(SHA256.digest(Array(path.utf8))[0]) % PublishedState.bucketCount
  }

  /// The name of a bucket's text.
  static func name(_ number: Int, of layout: String) -> String { "\(layout).\(number)" }
}

extension PublishedDocument {
  /// Differs where the fields do.
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
  /// The first eight bytes of a text's digest, in hexadecimal.
  fileprivate static func short(_ text: String) -> String {
    hexadecimal(Array(digest(Array(text.utf8)).prefix(8)))
  }
}
