import EventLog
import EventLogClouds
import Synchronization
import Testing

/// An in-memory document store, whose commits can fail before or after their execution.
final class MemoryDocuments: DocumentStore {
  enum Fault { case none, refused, responseLost, responseLostAndRetried }

  private struct State {
    var documents: [String: PublishedDocument] = [:]
    var texts: [String: (text: String, revision: Int)] = [:]
    var revision = 0
    var faults: [Fault] = []
    var writeCount = 0
    var readCount = 0
  }

  let address = "memory"
  let user: String
  let commitMax: (count: Int, bytes: Int)
  private let state = Mutex(State())

  init(count: Int = 6, bytes: Int = 100_000, user: String = "ada") {
    (commitMax, self.user) = ((count, bytes), user)
  }

  var documents: [String: PublishedDocument] { state.withLock(\.documents) }
  /// The number of documents that were written or deleted.
  var writeCount: Int { state.withLock(\.writeCount) }
  /// The number of texts that were requested.
  var readCount: Int { state.withLock(\.readCount) }
  var textNames: [String] { state.withLock { $0.texts.keys.sorted() } }

  func fail(_ faults: [Fault]) { state.withLock { $0.faults = faults } }
  func text(of name: String) -> String? { state.withLock { $0.texts[name]?.text } }
  func store(_ text: String?, of name: String) {
    state.withLock {
      $0.revision += 1
      let revision = $0.revision
      $0.texts[name] = text.map { ($0, revision) }
    }
  }

  func byteCount(of document: PublishedDocument) throws(EventLogError) -> Int {
    document.path.utf8.count + document.json.text.utf8.count
  }

  func texts(
    _ names: [String]
  ) async throws(EventLogError) -> [String: (text: String, revision: String)] {
    state.withLock { state in
      state.readCount += names.count
      var found: [String: (text: String, revision: String)] = [:]
      for name in names { found[name] = state.texts[name].map { ($0.text, "\($0.revision)") } }
      return found
    }
  }

  func commit(_ commit: DocumentCommit) async throws(EventLogError) -> String? {
    check(commit)
    let (result, fault) = state.withLock { state -> (String?, Fault) in
      let fault = state.faults.isEmpty ? .none : state.faults.removeFirst()
      if fault == .refused { return (nil, fault) }
      guard state.texts[commit.name].map({ "\($0.revision)" }) == commit.revision else {
        return (nil, .none)
      }
      for document in commit.written { state.documents[document.path] = document }
      for path in commit.deleted { state.documents[path] = nil }
      state.writeCount += commit.written.count + commit.deleted.count
      state.revision += 1
      for (name, text) in commit.texts { state.texts[name] = (text, state.revision) }
      return ("\(state.revision)", fault)
    }
    switch fault {
    // The commit was retried within the call, and its condition no longer held.
    case .responseLostAndRetried: return nil
    case .none: return result
    case .refused, .responseLost: throw EventLogError(.remoteFailed, "the commit failed")
    }
  }

  private func check(_ commit: DocumentCommit) {
    #expect(commit.texts[commit.name] != nil)
    let count = commit.written.count + commit.deleted.count
    #expect(count + commit.texts.count <= commitMax.count)
    let texts = commit.texts.values.reduce(0) { $0 + JSONValue.string($1).text.utf8.count }
    let sizes = commit.written.reduce(0) { $0 + ((try? byteCount(of: $1)) ?? 0) }
    // A document above the limit is alone in its commit.
    #expect(texts + sizes <= commitMax.bytes || count <= 1)
  }
}
