import EventLog

/// A remote that violates the protocol.
struct BadRemote: ReachableRemote {
  let base: any ReachableRemote
  let peer: BadPeer
  let seed: UInt64
  var address: String { base.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    // A dry run discards the lines that it receives.
    var request = request
    if peer == .forgetful { request.isDryRun = true }
    return BadSession(base: try await base.connect(request), peer: peer, seed: seed)
  }
}

private struct BadSession: RemoteSession {
  let base: any RemoteSession
  let peer: BadPeer
  let seed: UInt64

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    var statement = try await base.statement(to: initiator, lookup)
    if let strange = peer.strangeLines {
      statement.tips = (statement.tips + [strange.end]).sorted()
    }
    switch peer {
    case .otherUser: statement.user = "ben"
    case .understating: statement.tips.removeAll { $0.sequence <= 2 }
    case .overstating:
      statement.tips = statement.tips.map { tip in
        tip.device.text.utf8.count % 2 == 1
          ? tip
          : FullEventID(device: tip.device, sequence: tip.sequence + 3, chain: tip.chain ^ 1)
      }
    case .denying: statement.missing += statement.tips.map { EventRange(from: 1, to: $0) }
    default: break
    }
    return statement
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await base.chains(queries)
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    var requested = ranges
    if peer == .unaskedLines, let first = requested.first {
      requested[0] = EventRange(from: 1, to: first.end)
    }
    return BadSource(base: try await base.read(requested), peer: peer, seed: seed)
  }

  func took(_ result: ReceiveResult) async { await base.took(result) }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await base.announce(statement)
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    if peer == .failing { throw EventLogError(remoteFailed: "It no longer answers.") }
    return try await base.write(lines)
  }

  func proceed() async throws(EventLogError) -> ReceiveResult? { try await base.proceed() }

  func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }

  func leave() async { await base.leave() }
}

private struct BadSource: LineSource {
  let base: any LineSource
  let peer: BadPeer
  let seed: UInt64

  func next() async throws(EventLogError) -> LineBatch? {
    guard let batch = try await base.next() else { return nil }
    var random = SplitMix64(seed: seed)
    var lines = batch.bytes.split(separator: 0x0A).map { Array($0) }
    let index = Int.random(in: 0..<max(1, lines.count), using: &random)
    switch peer {
    case .gap, .denying: if !lines.isEmpty { lines.remove(at: index) }
    case .changedLine: if !lines.isEmpty { lines[index][lines[index].count / 2] ^= 1 }
    case .longLine:
      let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineLimits.lineBytesMax + 1)
      lines.insert(long, at: index)
    case .failing: throw EventLogError(remoteFailed: "It no longer answers.")
    default: lines += peer.strangeLines?.lines ?? []
    }
    var changed = LineBatch()
    for line in lines { changed.add(line) }
    return changed
  }
}
