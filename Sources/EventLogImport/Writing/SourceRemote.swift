package import EventLog

/// The stores of a source, as a remote.
///
/// A sync receives their lines like those of any device, with all checks, in a dry run or durably.
package struct SourceRemote: ReachableRemote {
  package let address: String
  let user: String
  let stores: [SourceLines]

  package func connect(
    _ request: SyncRequest
  ) async throws(EventLogError) -> any RemoteSession {
    SourceSession(remote: self)
  }
}

/// A session with a source, which only sends.
private struct SourceSession: RemoteSession {
  let remote: SourceRemote

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    FrontierStatement(
      user: remote.user,
      tips: remote.stores.filter { $0.count > 0 }.compactMap(\.tip).sorted())
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { query in
      let store = remote.stores.first { $0.device == query.tip.device }
      guard let store, store.chain(of: query.tip.sequence) == query.tip.chain else { return nil }
      return store.chain(of: query.sequence)
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    var batches: [LineBatch] = []
    for range in ranges {
      guard let store = remote.stores.first(where: { $0.device == range.device }) else { continue }
      batches += store.batches(from: range.first)
    }
    return SourceLineReader(batches)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {}

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult { ReceiveResult() }

  func finish() async throws(EventLogError) -> Set<String> { [] }
}

/// Returns the batches one by one.
private actor SourceLineReader: LineSource {
  private var rest: ArraySlice<LineBatch>

  init(_ batches: [LineBatch]) { rest = batches[...] }

  func next() async throws(EventLogError) -> LineBatch? { rest.popFirst() }
}
