import EventLog
import EventLogClouds
import Synchronization

/// A database of documents in memory, whose commits can fail before or after they are carried out.
final class MemoryDocuments: DocumentStore {
  enum Fault { case none, refused, answerLost }

  private struct State {
    var documents: [String: PublishedDocument] = [:]
    var texts: [String: (text: String, revision: Int)] = [:]
    var revision = 0
    var faults: [Fault] = []
    var writeCount = 0
  }

  let address = "memory"
  let user = "ada"
  let commitMax: (documents: Int, bytes: Int)
  private let state = Mutex(State())

  init(commitMax: Int = 3) { self.commitMax = (commitMax, 100_000) }

  var documents: [String: PublishedDocument] { state.withLock(\.documents) }
  var writeCount: Int { state.withLock(\.writeCount) }
  func fail(_ faults: [Fault]) { state.withLock { $0.faults = faults } }
  func text(of name: String) -> String? { state.withLock { $0.texts[name]?.text } }
  func store(_ text: String, of name: String) {
    state.withLock {
      $0.revision += 1
      $0.texts[name] = (text, $0.revision)
    }
  }

  func published(
    _ name: String
  ) async throws(EventLogError) -> (text: String, revision: String)? {
    state.withLock { state in state.texts[name].map { ($0.text, "\($0.revision)") } }
  }

  func commit(
    _ written: [PublishedDocument], deleting deleted: [String], publishing text: String,
    _ name: String, after revision: String?
  ) async throws(EventLogError) -> String? {
    let (result, fault) = state.withLock { state -> (String?, Fault) in
      let fault = state.faults.isEmpty ? .none : state.faults.removeFirst()
      if fault == .refused { return (nil, fault) }
      guard state.texts[name].map({ "\($0.revision)" }) == revision else { return (nil, .none) }
      for document in written { state.documents[document.path] = document }
      for path in deleted { state.documents[path] = nil }
      state.writeCount += written.count + deleted.count
      state.revision += 1
      state.texts[name] = (text, state.revision)
      return ("\(state.revision)", fault)
    }
    if fault != .none { throw EventLogError(.remoteFailed, "the commit failed") }
    return result
  }
}
