import EventLog

/// A remote whose batches are duplicated, reordered or truncated.
struct UnreliableRemote: ReachableRemote {
  let base: any ReachableRemote
  let mishap: SimulatedAction.LineMishap

  var address: String { base.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    UnreliableSession(base: try await base.connect(request), mishap: mishap)
  }
}

private struct UnreliableSession: RemoteSession {
  let base: any RemoteSession
  let mishap: SimulatedAction.LineMishap

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    try await base.statement(to: initiator, lookup)
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await base.chains(queries)
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    UnreliableSource(base: try await base.read(ranges), mishap: mishap)
  }

  func took(_ result: ReceiveResult) async { await base.took(result) }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await base.announce(statement)
  }

  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    try await base.exchange(schema, directions)
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    var result = ReceiveResult()
    for batch in mishap.spoil(lines) { result.add(try await base.write(batch)) }
    return result
  }

  func proceed() async throws(EventLogError) -> ReceiveResult? { try await base.proceed() }

  var notices: [String] { get async { await base.notices } }

  func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }

  func leave() async { await base.leave() }
}

private struct UnreliableSource: LineSource {
  let base: any LineSource
  let mishap: SimulatedAction.LineMishap

  func next() async throws(EventLogError) -> LineBatch? {
    guard let batch = try await base.next() else { return nil }
    let all = mishap.spoil(batch)
    // Duplicates arrive in one batch.
    var joined = LineBatch()
    for batch in all { for line in batch.lines { joined.add(line) } }
    return joined
  }
}

extension LineBatch {
  /// The lines without their LF, the last of which may be truncated.
  fileprivate var lines: [[UInt8]] { bytes.split(separator: 0x0A).map { Array($0) } }
}

extension SimulatedAction.LineMishap {
  /// Returns the batches that arrive instead of a batch.
  fileprivate func spoil(_ batch: LineBatch) -> [LineBatch] {
    switch self {
    case .doubled: return [batch, batch]
    case .reordered(let seed):
      var random = SplitMix64(seed: seed)
      var shuffled = LineBatch()
      for line in batch.lines.shuffled(using: &random) { shuffled.add(line) }
      return [shuffled]
    case .truncated(let part):
      var cut = LineBatch()
      let bytes = batch.bytes.prefix(batch.bytes.count * part / 1000)
      for line in bytes.split(separator: 0x0A) { cut.add(Array(line)) }
      return [cut]
    }
  }
}
