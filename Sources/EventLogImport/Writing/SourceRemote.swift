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
      tips: remote.stores.filter { !$0.lines.isEmpty }.compactMap(\.tip).sorted())
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { query in
      let store = remote.stores.first { $0.device == query.tip.device }
      guard let store, store.chains[query.tip.sequence] == query.tip.chain else { return nil }
      return store.chains[query.sequence]
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    var lines: [[UInt8]] = []
    for range in ranges {
      guard let store = remote.stores.first(where: { $0.device == range.device }) else { continue }
      lines += store.lines.dropFirst(Int(max(0, range.first - store.first)))
    }
    return SourceLineReader(lines)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {}

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult { ReceiveResult() }

  func finish() async throws(EventLogError) -> Set<String> { [] }
}

/// Returns lines in batches of the size that a sync requests.
private actor SourceLineReader: LineSource {
  private var rest: ArraySlice<[UInt8]>

  init(_ lines: [[UInt8]]) { rest = lines[...] }

  func next() async throws(EventLogError) -> LineBatch? {
    var batch = LineBatch()
    while !batch.isFull, let line = rest.popFirst() { batch.add(line) }
    return batch.isEmpty ? nil : batch
  }
}
