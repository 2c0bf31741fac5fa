/// One visit, from the server's side.
struct PipeVisit {
  private let connection: PipeConnection
  private let limits: PipeLimits
  /// What the visitor was told that is held.
  private var stated = FrontierStatement()
  private var announced: FrontierStatement?
  /// What came of a message that has further parts.
  private var rangesSoFar: [EventRange] = []
  private var announcedSoFar = FrontierStatement()
  private var questionCount = 0
  private var readCount = 0
  /// So many batches in a row brought nothing.
  private var fruitlessCount = 0

  init(_ connection: PipeConnection, _ limits: PipeLimits) {
    self.connection = connection
    self.limits = limits
  }

  mutating func perform(with journal: JournalRemote) async throws(PipeFailing) {
    let hello = try await greet()
    let visit = RemoteVisit(
      user: hello.user, device: hello.device, isRehearsal: hello.isRehearsal)
    let session = try await waiting { () throws(EventLogError) in try await journal.connect(visit) }
    let visitor: FrontierStatement
    do throws(PipeFault) { visitor = try await connection.receiveStatement() } catch {
      throw .pipe(error)
    }
    stated = try await waiting { () throws(EventLogError) in
      try await session.statement(to: VisitorHistories(statement: visitor))
    }
    do throws(PipeFault) { try await connection.send(stated, PipeMessage.statement) } catch {
      throw .pipe(error)
    }
    while try await answer(receive(), session) {}
  }

  private func greet() async throws(PipeFailing) -> PipeHello {
    let message = try await receive()
    guard case .hello(let hello) = message else { throw .pipe(.unexpected(message.name)) }
    guard hello.versions.contains(PipeMessage.version) else {
      throw .pipe(.laterVersion(hello.versions.min() ?? 0))
    }
    try await send(.welcome(version: PipeMessage.version))
    return hello
  }

  /// Answers one message; false behind the last.
  private mutating func answer(
    _ message: PipeMessage, _ session: any RemoteSession
  ) async throws(PipeFailing) -> Bool {
    switch message {
    case .question(let event, let point):
      questionCount += 1
      guard questionCount <= PipeLimits.questionCountMax else { throw .pipe(.tooMany("questions")) }
      let checksum = try await waiting { () throws(EventLogError) in
        try await session.checksum(of: event, inHistoryTo: point)
      }
      try await send(.answer(checksum))
    case .read(let ranges, let isLast):
      rangesSoFar += ranges
      guard rangesSoFar.count <= PipeLimits.totalCountMax else { throw .pipe(.tooMany("ranges")) }
      if isLast { try await handOut(session) }
    case .announce(let part, let isLast):
      guard announced == nil, announcedSoFar.add(part) else {
        throw .pipe(.tooMany("announcements"))
      }
      if isLast {
        announced = announcedSoFar
        let announcement = announcedSoFar
        try await waiting { () throws(EventLogError) in try await session.announce(announcement) }
      }
    case .lines(let count, let byteCount): try await take(count, byteCount, session)
    case .finish:
      try await waiting { () throws(EventLogError) in _ = try await session.finish() }
      try await send(.finished)
      return false
    default: throw .pipe(.unexpected(message.name))
    }
    return true
  }

  /// Hands out the ranges that were asked for.
  private mutating func handOut(_ session: any RemoteSession) async throws(PipeFailing) {
    let ranges = rangesSoFar
    rangesSoFar = []
    readCount += 1
    guard readCount <= PipeLimits.readCountMax else { throw .pipe(.tooMany("requests")) }
    // Only what was stated is there to be read, and once.
    guard Set(ranges.map(\.device)).count == ranges.count,
      ranges.allSatisfy({ $0.last <= stated.frontier[$0.device]?.sequence ?? 0 })
    else { throw .pipe(.tooMany("ranges")) }
    let source = try await waiting { () throws(EventLogError) in try await session.read(ranges) }
    while let batch = try await waiting({ () throws(EventLogError) in try await source.next() }) {
      try await send(.lines(count: batch.count, byteCount: batch.bytes.count), batch)
    }
    try await send(.end)
  }

  /// Takes the lines that stand behind a message.
  private mutating func take(
    _ count: Int, _ byteCount: Int, _ session: any RemoteSession
  ) async throws(PipeFailing) {
    guard announced != nil else { throw .pipe(.unexpected("lines")) }
    let batch: LineBatch
    do throws(PipeFault) {
      batch = try await connection.receiveLines(count, byteCount: byteCount)
    } catch { throw .pipe(error) }
    let reception = try await waiting { () throws(EventLogError) in try await session.write(batch) }
    fruitlessCount = reception.received.isEmpty ? fruitlessCount + 1 : 0
    guard fruitlessCount <= PipeLimits.fruitlessCountMax else {
      throw .pipe(.tooMany("events that cannot be taken"))
    }
    try await send(.reception(reception))
  }

  // MARK: - The exchange

  private func receive() async throws(PipeFailing) -> PipeMessage {
    do throws(PipeFault) { return try await connection.receive() } catch { throw .pipe(error) }
  }

  private func send(
    _ message: PipeMessage, _ lines: LineBatch? = nil
  ) async throws(PipeFailing) {
    do throws(PipeFault) { try await connection.send(message, lines) } catch { throw .pipe(error) }
  }

  /// Does something that may take long, and tells the visitor so meanwhile.
  private func waiting<Value: Sendable>(
    _ body: () async throws(EventLogError) -> Value
  ) async throws(PipeFailing) -> Value {
    let saying = Task { [connection, limits] in
      repeat {
        try? await Task.sleep(for: .milliseconds(limits.waitMilliseconds))
        if Task.isCancelled { return }
      } while await connection.sayWait()
    }
    let result: Result<Value, EventLogError>
    do throws(EventLogError) { result = .success(try await body()) } catch {
      result = .failure(error)
    }
    saying.cancel()
    // Nothing is said between the parts of an answer.
    await saying.value
    do throws(EventLogError) { return try result.get() } catch { throw .journal(error) }
  }
}

/// What a visitor has said to hold. A journal asks no more of it.
private struct VisitorHistories: DeviceHistories {
  let statement: FrontierStatement
  var points: [DeviceID: HistoryPoint] { statement.frontier }
  var reissues: [Reissue] { statement.reissues }

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    statement.frontier[event.device].flatMap { $0.sequence == event.sequence ? $0.checksum : nil }
  }
}
