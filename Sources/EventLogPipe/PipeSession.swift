import EventLog
import Synchronization

/// The initiator's side of one run with a journal at the other end of a pipe.
final class PipeSession: RemoteSession {
  private let connection: PipeConnection
  private let limits: PipeLimits
  private let address: String
  private let now: @Sendable () -> Int64
  private let progress = Mutex(Progress())

  /// The state of the other side.
  private struct Progress {
    /// Whether it has answered in the protocol.
    var isGreeted = false
    /// The name of its schema file, as in ``PipeMessage/welcome(version:schema:)``.
    var schema: SchemaFile.Name??
    /// The number of lines that it was sent and hasn't reported as received.
    var openCount: Int64 = 0
    /// The time at which the result of its last lines was known.
    var judgedAt: Int64?
    var notices: [String] = []
  }

  init(_ channel: any ByteChannel, _ remote: PipeRemote) {
    connection = PipeConnection(
      channel, remote.limits, patience: remote.limits.patienceMilliseconds, now: remote.now)
    limits = remote.limits
    now = remote.now
    address = remote.address
  }

  deinit { connection.close() }

  /// Introduces the initiator and agrees on a version.
  func begin(_ request: SyncRequest) async throws(EventLogError) {
    try await exchange(meaning: Self.nothing) { (connection) throws(PipeFault) in
      let hello = PipeHello(user: request.user, device: request.device, isDryRun: request.isDryRun)
      let schema = try await connection.greet(hello, self.limits).schema
      self.progress.withLock { ($0.isGreeted, $0.schema) = (true, schema) }
    }
  }

  func statement(
    to initiator: FrontierStatement, _ lookup: any HistoryLookup
  ) async throws(EventLogError) -> FrontierStatement {
    try await exchange(meaning: Self.nothing) { (connection) throws(PipeFault) in
      try await connection.send(initiator, PipeMessage.statement)
      return try await connection.receiveStatement()
    }
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await exchange { (connection) throws(PipeFault) in
      var chains: [UInt32?] = []
      while chains.count < queries.count {
        let part = queries.dropFirst(chains.count).prefix(PipeLimits.partCountMax)
        try await connection.send(.question(Array(part)))
        let message = try await connection.receive()
        guard case .answer(let answer) = message, answer.count == part.count else {
          throw .unexpected(message.name)
        }
        chains += answer
      }
      return chains
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

  /// Returns the next requested lines, or nil after the last.
  fileprivate func nextLines(atMost countMax: Int64) async throws(EventLogError) -> LineBatch? {
    let judgedAt = progress.withLock { progress in
      defer { progress.judgedAt = nil }
      return progress.judgedAt
    }
    // Exclude the time that this side took to receive the lines.
    if let judgedAt { connection.skip(now() - judgedAt) }
    return try await exchange { (connection) throws(PipeFault) in
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

  func took(_ result: ReceiveResult) {
    connection.recordLines(areUseful: !result.received.isEmpty)
    progress.withLock { $0.judgedAt = now() }
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(statement, PipeMessage.announce)
    }
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    if lines.isEmpty { return ReceiveResult() }
    return try await exchange { (connection) throws(PipeFault) in
      try await connection.send(
        .lines(count: lines.count, byteCount: lines.bytes.count), lines.bytes)
      let message = try await connection.receive()
      guard case .result(let result) = message else { throw .unexpected(message.name) }
      // The other side can't receive more lines than it was sent, now and before.
      let openCount = self.progress.withLock { progress in
        progress.openCount += Int64(lines.count) - result.received.count
        return progress.openCount
      }
      guard openCount >= 0, result.heldCount <= lines.count else { throw .tooMany("receipts") }
      return result
    }
  }

  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    // Usually, both have the same one, which takes no message.
    guard let theirs = progress.withLock(\.schema), theirs != schema?.name else { return nil }
    let revision = theirs?.revision ?? 0
    let isLater = (schema?.name.revision ?? 0) > revision
    guard isLater ? directions.contains(.push) : theirs != nil else { return nil }
    return try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.schema(isLater ? schema : nil))
      let message = try await connection.receive()
      guard case .schema(let answer) = message else { throw .unexpected(message.name) }
      return answer
    }
  }

  func finish() async throws(EventLogError) -> Set<String> {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.finish)
      let message = try await connection.receive()
      guard case .finished(let notices) = message else { throw .unexpected(message.name) }
      self.progress.withLock { $0.notices = PipeFault.quoted(notices) }
    }
    await connection.leave()
    return []
  }

  var notices: [String] {
    progress.withLock(\.notices).map { "\"\(address)\" reports: \($0)" }
  }

  func leave() async { await connection.leave() }

  private static let nothing = "Nothing was changed."

  /// Runs a part of the exchange and ends the exchange if it fails.
  ///
  /// - Parameter meaning: The consequence of a failure for the data.
  private func exchange<Value: Sendable>(
    meaning: String = "Events transferred so far are kept.",
    _ body: (PipeConnection) async throws(PipeFault) -> Value
  ) async throws(EventLogError) -> Value {
    try await connection.exchange(
      with: address, isGreeted: { self.progress.withLock(\.isGreeted) }, meaning: meaning, body)
  }
}

/// The lines from a pipe, at most as many as were requested.
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
