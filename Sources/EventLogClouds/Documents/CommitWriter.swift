import EventLog

/// Divides changes into commits that are not too large, each with what the place has to remember
/// after it.
struct CommitWriter {
  private let name: String
  private let max: (count: Int, bytes: Int)
  /// After the commits so far.
  private var remembered: PublishedState
  private var commits: [DocumentCommit] = []
  private var commit: DocumentCommit
  /// The bytes of the commit's documents and texts, but for the open bucket.
  private var byteCount: Int
  /// The bucket whose documents are being changed.
  private var bucket = PublishedBucket()
  private var number = 0
  /// Whether a document of the bucket has changed since the last commit.
  private var isTouched = false
  /// At least as many bytes as the bucket's text has.
  private var bucketByteCount = 0

  /// - Parameters:
  ///   - end: what the place has to remember after the last commit.
  ///   - published: what it remembers by now.
  init(
    _ name: String, _ end: PublishedState, over published: PublishedState?,
    max: (count: Int, bytes: Int)
  ) {
    (self.name, self.max) = (name, max)
    remembered = end
    byteCount = Self.byteCount(of: end.text)
    remembered.digests = published?.digests ?? PublishedState.none
    commit = DocumentCommit(name: name, after: nil)
  }

  /// The following changes are of documents in this bucket.
  mutating func open(_ bucket: PublishedBucket, _ number: Int) {
    (self.bucket, self.number, isTouched) = (bucket, number, false)
    bucketByteCount = Self.byteCount(of: bucket.text)
  }

  mutating func write(_ document: PublishedDocument, _ size: Int) {
    makeRoom(for: size, document.path)
    commit.written.append(document)
    bucket.documents[document.path] = document.digest
  }

  mutating func delete(_ path: String) {
    makeRoom(for: path.utf8.count, path)
    commit.deleted.append(path)
    bucket.documents[path] = nil
  }

  /// Begins another commit if a change of so many bytes would make this one too large.
  private mutating func makeRoom(for size: Int, _ path: String) {
    bucketByteCount += Self.byteCount(of: path) + Self.entryByteCount
    // A change adds a document, and perhaps the texts of its bucket and the state.
    let isFull =
      commit.count + 3 > max.count || byteCount + bucketByteCount + size > max.bytes
    if isFull, commit.count > 0 {
      closeBucket()
      closeCommit()
    }
    byteCount += size
    isTouched = true
  }

  /// Puts the bucket into the commit, as it is by now.
  mutating func closeBucket() {
    guard isTouched else {
      // Its text is gone, and it has nothing to say.
      if bucket.documents.isEmpty { remembered.digests[number] = "" }
      return
    }
    isTouched = false
    let text = bucket.text
    commit.texts[PublishedBucket.name(number, of: name)] = text
    byteCount += Self.byteCount(of: text)
    remembered.digests[number] = bucket.digest
  }

  private mutating func closeCommit() {
    commit.texts[name] = remembered.text
    commits.append(commit)
    commit = DocumentCommit(name: name, after: nil)
    byteCount = Self.byteCount(of: remembered.text)
  }

  mutating func finish() -> [DocumentCommit] {
    closeCommit()
    return commits
  }

  /// The most bytes that a text has in a request, where a quote takes two.
  private static func byteCount(of text: String) -> Int { 2 * text.utf8.count }

  /// What stands around a path in a bucket's text: quotes, a colon, a comma and the digest.
  private static let entryByteCount = 60
}
