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
    SourceLineReader(
      ranges.compactMap { range in
        remote.stores.first { $0.device == range.device }.map { ($0, range.first) }
      })
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {}

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult { ReceiveResult() }

  func finish() async throws(EventLogError) -> Set<String> { [] }
}

/// Returns the lines of each store in turn.
private actor SourceLineReader: LineSource {
  private var rest: ArraySlice<(lines: SourceLines, first: Int64)>

  init(_ stores: [(lines: SourceLines, first: Int64)]) { rest = stores[...] }

  func next() async throws(EventLogError) -> LineBatch? {
    while let (lines, first) = rest.first {
      if let batch = lines.next(from: first) { return batch }
      rest.removeFirst()
    }
    return nil
  }
}
