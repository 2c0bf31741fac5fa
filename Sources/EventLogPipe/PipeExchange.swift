import EventLog
import EventLogRemotes

/// The server's side of one exchange with an initiator.
struct PipeExchange {
  /// The reason why an exchange ends early.
  enum Failure: Error {
    /// The exchange failed.
    case pipe(PipeFault)
    /// The journal failed.
    case journal(EventLogError)
  }

  let connection: PipeConnection
  private let limits: PipeLimits
  private let work: WorkCount
  /// The tips that were stated to the initiator.
  private var statedTips: Set<FullEventID> = []
  private var hasAnnounced = false
  private var hasExchangedSchemas = false
  /// The parts of an incomplete message received so far.
  private var rangesSoFar: [EventRange] = []
  private var announcedSoFar = FrontierStatement()
  private var queryCount = 0
  private var readCount = 0
  /// The number of consecutive batches without an accepted event.
  private var fruitlessCount = 0

  init(_ connection: PipeConnection, _ limits: PipeLimits, _ work: WorkCount) {
    self.connection = connection
    self.limits = limits
    self.work = work
  }

  /// - Parameter contents: The contents beside the journal, or nil to serve only events.
  mutating func perform(
    with journal: JournalRemote, _ contents: (any ContentSession)?
  ) async throws(Failure) {
    let hello = try await greet(journal.schema?.name, keepsContents: contents != nil)
    if hello.wantsContents, let contents { return try await serve(contents) }
    let request = SyncRequest(user: hello.user, device: hello.device, isDryRun: hello.isDryRun)
    let session = try await waiting { () throws(EventLogError) in
      try await journal.connect(request)
    }
    let initiator: FrontierStatement
    connection.begin()
    do throws(PipeFault) { initiator = try await connection.receiveStatement() } catch {
      throw .pipe(error)
    }
    let stated = try await waiting { () throws(EventLogError) in
      try await session.statement(to: initiator, StatedTips(initiator))
    }
    statedTips = Set(stated.tips)
    do throws(PipeFault) { try await connection.send(stated, PipeMessage.statement) } catch {
      throw .pipe(error)
    }
    while try await answer(receive(), session) {}
  }

  private func greet(
    _ schema: SchemaFile.Name?, keepsContents: Bool
  ) async throws(Failure) -> PipeHello {
    let message = try await receive()
    guard case .hello(let hello) = message else { throw .pipe(.unexpected(message.name)) }
    guard hello.versions.contains(PipeMessage.version) else {
      throw .pipe(.laterVersion(hello.versions.min() ?? 0))
    }
    try await send(
      .welcome(version: PipeMessage.version, schema: schema, keepsContents: keepsContents))
    return hello
  }

  /// Answers one message and returns whether more may follow.
  private mutating func answer(
    _ message: PipeMessage, _ session: any RemoteSession
  ) async throws(Failure) -> Bool {
    switch message {
    case .question(let queries): try await answer(queries, session)
    case .read(let ranges, let isLast):
      rangesSoFar += ranges
      guard rangesSoFar.count <= PipeLimits.totalCountMax, isLast || !ranges.isEmpty else {
        throw .pipe(.tooMany("ranges"))
      }
      if isLast { try await handOut(session) }
    case .announce(let part, let isLast):
      guard !hasAnnounced, announcedSoFar.add(part), isLast || part.saysSomething else {
        throw .pipe(.tooMany("announcements"))
      }
      if isLast {
        hasAnnounced = true
        let announcement = announcedSoFar
        try await waiting { () throws(EventLogError) in try await session.announce(announcement) }
      }
    case .lines(let count, let byteCount): try await take(count, byteCount, session)
    case .schema(let schema):
      guard !hasExchangedSchemas else { throw .pipe(.tooMany("schemas")) }
      hasExchangedSchemas = true
      let answer = try await waiting { () throws(EventLogError) in
        try await session.exchange(schema, .both)
      }
      try await send(.schema(answer))
    case .finish:
      try await finish(session)
      return false
    default: throw .pipe(.unexpected(message.name))
    }
    return true
  }

  private mutating func answer(
    _ queries: [HistoryQuery], _ session: any RemoteSession
  ) async throws(Failure) {
    queryCount += queries.count
    guard queryCount <= PipeLimits.queryCountMax else { throw .pipe(.tooMany("questions")) }
    let chains = try await waiting { () throws(EventLogError) in
      try await session.chains(queries)
    }
    try await send(.answer(chains))
  }

  /// Sends the ranges that the initiator has requested.
  private mutating func handOut(_ session: any RemoteSession) async throws(Failure) {
    let ranges = rangesSoFar
    rangesSoFar = []
    readCount += 1
    guard readCount <= PipeLimits.readCountMax else { throw .pipe(.tooMany("requests")) }
    // Events that weren't stated may be held as well, and fill a gap of the initiator.
    let others = Set(ranges.map(\.end)).subtracting(statedTips)
    let held = try await waiting { () throws(EventLogError) in
      try await session.held(Array(others))
    }
    guard held.count == others.count else { throw .pipe(.tooMany("ranges")) }
    let source = try await waiting { () throws(EventLogError) in try await session.read(ranges) }
    while let batch = try await waiting({ () throws(EventLogError) in try await source.next() }) {
      try await send(.lines(count: batch.count, byteCount: batch.bytes.count), batch.bytes)
    }
    try await send(.end)
  }

  /// Receives the lines after a message.
  private mutating func take(
    _ count: Int, _ byteCount: Int, _ session: any RemoteSession
  ) async throws(Failure) {
    guard hasAnnounced else { throw .pipe(.unexpected("lines")) }
    let batch: LineBatch
    do throws(PipeFault) {
      batch = try await connection.receiveLines(count, byteCount: byteCount)
    } catch { throw .pipe(error) }
    let result = try await waiting { () throws(EventLogError) in try await session.write(batch) }
    fruitlessCount = result.received.isEmpty ? fruitlessCount + 1 : 0
    guard fruitlessCount <= PipeLimits.fruitlessCountMax else {
      throw .pipe(.tooMany("refused events"))
    }
    let answer = PipeMessage.result(result)
    guard result.received.isEmpty else { return try await send(answer) }
    connection.recordLines(areUseful: false)
    do throws(PipeFault) { try await connection.send(answer, beginning: false) } catch {
      throw .pipe(error)
    }
  }

  private func finish(_ session: any RemoteSession) async throws(Failure) {
    let notices = try await waiting { () throws(EventLogError) in
      try await session.finish()
      return await session.notices
    }
    try await send(.finished(notices: PipeFault.quoted(notices)))
  }

  // MARK: - Messages

  func receive() async throws(Failure) -> PipeMessage {
    // Work for the initiator doesn't count as its own time, unless it was fruitless.
    if fruitlessCount == 0 { connection.begin() }
    do throws(PipeFault) { return try await connection.receive() } catch { throw .pipe(error) }
  }

  func send(_ message: PipeMessage, _ bytes: [UInt8] = []) async throws(Failure) {
    do throws(PipeFault) { try await connection.send(message, bytes) } catch { throw .pipe(error) }
  }

  /// Sends `wait` messages while performing work that may take long.
  func waiting<Value: Sendable>(
    _ body: () async throws(EventLogError) -> Value
  ) async throws(Failure) -> Value {
    let saying = Task { [connection, limits] in
      repeat {
        try? await Task.sleep(for: .milliseconds(limits.waitMessageIntervalMilliseconds))
        if Task.isCancelled { return }
      } while await connection.sayWait(done: work.byteCount)
    }
    let result: Result<Value, EventLogError>
    do throws(EventLogError) { result = .success(try await body()) } catch {
      result = .failure(error)
    }
    saying.cancel()
    // No `wait` may come between the parts of an answer.
    await saying.value
    do throws(EventLogError) { return try result.get() } catch { throw .journal(error) }
  }
}

/// The tips that an initiator has stated, which are all that a journal queries.
private struct StatedTips: HistoryLookup {
  private let tips: Set<FullEventID>

  init(_ statement: FrontierStatement) { tips = Set(statement.tips) }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { query in
      query.sequence == query.tip.sequence && tips.contains(query.tip) ? query.tip.chain : nil
    }
  }
}
