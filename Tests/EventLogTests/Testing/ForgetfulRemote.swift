import EventLog

/// A remote that reports lines as received but loses them.
struct ForgetfulRemote: ReachableRemote {
  fileprivate let base: any ReachableRemote
  var address: String { base.address }

  init(_ base: any ReachableRemote) { self.base = base }

  @Sendable static func around(_ base: any Remote) -> any Remote {
    ForgetfulRemote(base.reachable)
  }

  func connect(_ visit: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    Session(base: try await base.connect(visit))
  }

  private struct Session: RemoteSession {
    let base: any RemoteSession

    /// Claims to hold the initiator's events.
    func statement(
      to initiator: FrontierStatement, _ lookup: any HistoryLookup
    ) async throws(EventLogError) -> FrontierStatement {
      var statement = try await base.statement(to: initiator, lookup)
      let known = Set(statement.tips.map(\.device))
      statement.tips += initiator.tips.filter { !known.contains($0.device) }
      statement.tips.sort()
      return statement
    }

    func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
      try await base.chains(queries)
    }

    func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
      try await base.read(ranges)
    }

    func announce(_ statement: FrontierStatement) async throws(EventLogError) {
      try await base.announce(statement)
    }

    func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
      try await base.write(lines)
    }

    func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }
  }
}
