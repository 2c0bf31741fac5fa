import EventLog

/// The publishing state, which a document store contains in addition to the documents.
///
/// The paths and digests of all documents are in buckets, by the hash of the path. The state
/// contains the digest of each bucket, so the next publisher reads only the buckets that will
/// differ. A commit changes documents, their buckets and the state atomically, so the state is
/// correct even if a run is interrupted between two commits.
struct PublishedState: Sendable, Hashable {
  static let bucketCount = 64

  /// The frontier of the last run. If that was interrupted, some documents are older.
  var frontier: VectorClock
  /// The version of the layout.
  var version: Int
  /// The digest of each bucket, or an empty string for an empty bucket.
  var digests: [String]

  /// The digests of a store without documents.
  static let none = [String](repeating: "", count: bucketCount)

  init(frontier: VectorClock, version: Int, digests: [String]) {
    (self.frontier, self.version, self.digests) = (frontier, version, digests)
  }

  /// Parses the text of a state. Nil if it is invalid.
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
