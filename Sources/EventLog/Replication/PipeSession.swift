import Synchronization

/// One run with a journal at the other end of a pipe, from the visitor's side.
final class PipeSession: RemoteSession {
  private let connection: PipeConnection
  private let limits: PipeLimits
  private let address: String
  /// Whether the other side has proved to speak the protocol.
  private let isGreeted = Mutex(false)

  init(_ channel: any ByteChannel, _ remote: PipeRemote) {
    connection = PipeConnection(
      channel, remote.limits, silence: remote.limits.silenceMilliseconds)
    limits = remote.limits
    address = remote.address
  }

  deinit { connection.close() }

  /// Says who comes, and agrees on a version.
  func begin(_ visit: RemoteVisit) async throws(EventLogError) {
    try await exchange(meaning: Self.nothing) { (connection) throws(PipeFault) in
      try await connection.send(
        .hello(PipeHello(user: visit.user, device: visit.device, isRehearsal: visit.isRehearsal)))
      let answer = try await connection.receive(patience: self.limits.connectingMilliseconds)
      guard case .welcome(let version) = answer else { throw .unexpected(answer.name) }
      guard version == PipeMessage.version else { throw .laterVersion(version) }
      self.isGreeted.withLock { $0 = true }
    }
  }

  func statement(
    to visitor: any DeviceHistories
  ) async throws(EventLogError) -> FrontierStatement {
    try await exchange(meaning: Self.nothing) { (connection) throws(PipeFault) in
      let own = FrontierStatement(frontier: visitor.points, reissues: visitor.reissues)
      try await connection.send(own, PipeMessage.statement)
      return try await connection.receiveStatement()
    }
  }

  func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum? {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.question(event, point))
      let message = try await connection.receive()
      guard case .answer(let checksum) = message else { throw .unexpected(message.name) }
      return checksum
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    try await exchange { (connection) throws(PipeFault) in
      var rest = ranges[...]
      repeat {
        let part = Array(rest.prefix(PipeLimits.partCountMax))
        rest = rest.dropFirst(part.count)
        try await connection.send(.read(part, isLast: rest.isEmpty))
      } while !rest.isEmpty
    }
    return PipeLineSource(self, countMax: ranges.saturatingCount)
  }

  /// The next lines of what was asked for; nil behind the last.
  fileprivate func nextLines(atMost countMax: Int64) async throws(EventLogError) -> LineBatch? {
    try await exchange { (connection) throws(PipeFault) in
      let message = try await connection.receive()
      switch message {
      case .end: return nil
      case .lines(let count, let byteCount):
        guard count <= countMax else { throw .tooMany("events") }
        return try await connection.receiveLines(count, byteCount: byteCount)
      default: throw .unexpected(message.name)
      }
    }
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(statement, PipeMessage.announce)
    }
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    if lines.isEmpty { return Reception() }
    return try await exchange { (connection) throws(PipeFault) in
      try await connection.send(
        .lines(count: lines.count, byteCount: lines.bytes.count), lines)
      let message = try await connection.receive()
      guard case .reception(let reception) = message else { throw .unexpected(message.name) }
      // It cannot have taken more than it was given.
      guard reception.received.ranges.saturatingCount <= lines.count,
        reception.heldCount <= lines.count
      else { throw .tooMany("receipts") }
      return reception
    }
  }

  func finish() async throws(EventLogError) -> Set<String> {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.finish)
      let message = try await connection.receive()
      guard case .finished = message else { throw .unexpected(message.name) }
    }
    await connection.leave()
    return []
  }

  func leave() async { await connection.leave() }

  private static let nothing = "Nothing was changed."

  /// Runs a part of the exchange; one that fails is the last.
  ///
  /// - Parameter meaning: what it then means for the data.
  private func exchange<Value: Sendable>(
    meaning: String = "What had crossed until then stays.",
    _ body: (PipeConnection) async throws(PipeFault) -> Value
  ) async throws(EventLogError) -> Value {
    do throws(PipeFault) { return try await body(connection) } catch {
      var fault = error
      // One that is gone may have said why before.
      if fault == .ended, let complaint = await connection.lastWords() {
        fault = .complaint(complaint)
      }
      let ending = fault == .ended ? await connection.ending() : nil
      await connection.leave()
      throw PipeFailure(
        address: address, fault: fault, isGreeted: isGreeted.withLock { $0 }, ending: ending,
        meaning: meaning
      ).error
    }
  }
}

/// The lines that a pipe delivers; never more than were asked for.
private actor PipeLineSource: LineSource {
  private let session: PipeSession
  private var left: Int64

  init(_ session: PipeSession, countMax: Int64) {
    self.session = session
    left = countMax
  }

  func next() async throws(EventLogError) -> LineBatch? {
    let batch = try await session.nextLines(atMost: left)
    left -= Int64(batch?.count ?? 0)
    return batch
  }
}
