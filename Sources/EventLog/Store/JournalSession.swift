/// A run with another journal.
struct JournalSession: RemoteSession {
  let replica: Replica
  @Boxed private(set) var request: SyncRequest

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    let state = try await replica.open(dryRun: request.isDryRun)
    var statement = state.statement
    do throws(EventLogError) {
      // If the initiator has later events of this journal's own device, this journal must retire
      // its device ID. Nothing else would inform its writer.
      statement.hasDuplicateWriter = try await replica.notice(initiator.tips) != nil
    } catch {
      // A journal that can only be read has no writer.
      guard error.isForReadersOnly else { throw error }
    }
    return statement
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await replica.chains(queries)
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    try await replica.read(ranges)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    await announced.set(ReceiveFilter(missing: statement.missing))
  }

  private let announced = Announced()

  init(_ replica: Replica, _ request: SyncRequest) {
    self.replica = replica
    self.request = request
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    if request.isDryRun { return ReceiveResult() }
    return try await replica.receive(lines, from: request.user, on: await announced.filter)
  }

  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    let own = try await replica.schema()
    if let schema, directions.contains(.push), !request.isDryRun {
      try await replica.keep(schema)
    }
    let isNeeded = own?.name.revision ?? 0 >= schema?.name.revision ?? 0
    return own != schema && isNeeded ? own : nil
  }

  func finish() async throws(EventLogError) -> Set<String> {
    _ = try await replica.finish()
    return []
  }

  var notices: [String] {
    get async {
      let damage = (try? await replica.damageNotice()) ?? nil
      return ((try? await replica.takeNotices()) ?? []) + [damage].compactMap(\.self)
    }
  }
}

/// The filter for the initiator's lines, which depends on its announced statement.
private actor Announced {
  private(set) var filter = ReceiveFilter()
  func set(_ filter: ReceiveFilter) { self.filter = filter }
}
