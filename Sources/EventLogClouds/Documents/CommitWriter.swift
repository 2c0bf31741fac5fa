import EventLog

/// Divides changes into commits within the store's limits. Each commit contains the publishing
/// state after it.
struct CommitWriter {
  private let name: String
  private let limits: (count: Int, bytes: Int)
  /// The publishing state after the commits so far.
  private var state: PublishedState
  private var commits: [DocumentCommit] = []
  private var commit: DocumentCommit
  /// The size of the commit's documents and texts, without the current bucket.
  private var byteCount: Int
  /// The current bucket, with the changes so far.
  private var bucket = PublishedBucket()
  private var number = 0
  /// Whether the current commit changes the bucket.
  private var bucketHasChanged = false
  /// An upper bound on the size of the bucket's text.
  private var bucketByteCount = 0

  /// - Parameters:
  ///   - end: The publishing state after the last commit.
  ///   - published: The current publishing state.
  init(
    _ name: String, _ end: PublishedState, over published: PublishedState?,
    limits: (count: Int, bytes: Int)
  ) {
    (self.name, self.limits) = (name, limits)
    state = end
    byteCount = Self.byteCount(of: end.text)
    state.digests = published?.digests ?? PublishedState.none
    commit = DocumentCommit(name: name, after: nil)
  }

  /// Sets the bucket of the following changes.
  mutating func open(_ bucket: PublishedBucket, _ number: Int) {
    (self.bucket, self.number, bucketHasChanged) = (bucket, number, false)
    bucketByteCount = Self.byteCount(of: bucket.text)
  }

  mutating func write(_ document: PublishedDocument, _ size: Int) {
    beginCommitIfFull(for: size, document.path)
    commit.written.append(document)
    bucket.documents[document.path] = document.digest
  }

  mutating func delete(_ path: String) {
    beginCommitIfFull(for: path.utf8.count, path)
    commit.deleted.append(path)
    bucket.documents[path] = nil
  }

  /// Starts the next commit if a change of this size would exceed the limits.
  private mutating func beginCommitIfFull(for size: Int, _ path: String) {
    bucketByteCount += Self.byteCount(of: path) + Self.entryByteCount
    // Reserve three entries: the document, the bucket's text, and the state's text.
    let isFull =
      commit.count + 3 > limits.count || byteCount + bucketByteCount + size > limits.bytes
    if isFull, commit.count > 0 {
      closeBucket()
      closeCommit()
    }
    byteCount += size
    bucketHasChanged = true
  }

  /// Adds the bucket's text, with the changes so far, to the commit.
  mutating func closeBucket() {
    guard bucketHasChanged else {
      // A bucket can be empty without a change if its stored text was missing.
      if bucket.documents.isEmpty { state.digests[number] = "" }
      return
    }
    bucketHasChanged = false
    let text = bucket.text
    commit.texts[PublishedBucket.name(number, of: name)] = text
    byteCount += Self.byteCount(of: text)
    state.digests[number] = bucket.digest
  }

  private mutating func closeCommit() {
    commit.texts[name] = state.text
    commits.append(commit)
    commit = DocumentCommit(name: name, after: nil)
    byteCount = Self.byteCount(of: state.text)
  }

  mutating func finish() -> [DocumentCommit] {
    closeCommit()
    return commits
  }

  /// An upper bound on the size of a text in a request, where quotes are escaped.
  private static func byteCount(of text: String) -> Int { 2 * text.utf8.count }

  /// An upper bound on the size of a bucket's entry without its path.
  private static let entryByteCount = 60
}
