import EventLogTesting

@testable import EventLog
@testable import EventLogPipe

/// One side of a pipe, controlled by a test.
struct ScriptedPeer: Sendable {
  let channel: MemoryChannel
  let connection: PipeConnection

  init(_ channel: MemoryChannel) {
    self.channel = channel
    connection = PipeConnection(channel, PipeLimits(), patience: 600_000)
  }

  /// Timeouts short enough for a test.
  static var shortLimits: PipeLimits {
    var limits = PipeLimits()
    limits.connectingMilliseconds = 300
    limits.patienceMilliseconds = 300
    limits.initiatorMilliseconds = 300
    limits.messageMilliseconds = 1000
    return limits
  }

  /// A remote whose server follows `script`.
  static func remote(
    limits: PipeLimits = PipeLimits(), clock: ManualTime? = nil,
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) -> PipeRemote {
    var remote = PipeRemote(address: "far", limits: limits) { () throws(EventLogError) in
      let (near, far) = MemoryChannel.pair()
      Task {
        try? await script(ScriptedPeer(far))
        far.close()
      }
      return near
    }
    if let clock { remote.now = { clock.now } }
    return remote
  }

  /// A remote that states `statement` and delivers `batches`.
  static func remote(
    stating statement: FrontierStatement, delivering batches: [[[UInt8]]]
  ) -> PipeRemote {
    remote { peer in
      try await peer.greet(stating: statement)
      _ = try await peer.receive()
      for batch in batches { try await peer.deliver(batch) }
      try await peer.connection.send(.end)
      _ = try await peer.receive()
      try await peer.connection.send(.finished(notices: []))
    }
  }

  /// Sends raw bytes.
  func sendText(_ text: String) async throws {
    try await channel.write(Array(text.utf8), within: 10_000)
  }

  // MARK: - Server

  func greet(stating statement: FrontierStatement) async throws {
    _ = try await connection.receive()
    try await connection.send(.welcome(version: 1))
    _ = try await connection.receiveStatement()
    try await connection.send(statement, PipeMessage.statement)
  }

  /// Returns the next message that isn't a question, and answers questions with unknown histories.
  func receive() async throws -> PipeMessage {
    while true {
      let message = try await connection.receive()
      guard case .question(let queries) = message else { return message }
      try await connection.send(.answer(queries.map { _ in nil }))
    }
  }

  func deliver(_ lines: [[UInt8]]) async throws {
    var batch = LineBatch()
    for line in lines { batch.add(line) }
    try await connection.send(.lines(count: batch.count, byteCount: batch.bytes.count), batch.bytes)
  }

  // MARK: - Initiator

  /// Runs an exchange with a new server, and returns the server's error.
  static func initiate(
    _ path: String, limits: PipeLimits = PipeLimits(), clock: ManualTime? = nil,
    _ script: @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError? {
    let (near, far) = MemoryChannel.pair()
    let serving = Task { () -> EventLogError? in
      do throws(EventLogError) {
        var server = PipeServer(path: path, limits: limits)
        if let clock { server.now = { clock.now } }
        try await server.serve(far)
        return nil
      } catch { return error }
    }
    try await script(ScriptedPeer(near))
    near.close()
    return await serving.value
  }

  /// Sends a hello and its statement, and returns the server's statement.
  func exchangeStatements(
    user: String? = "ada", stating statement: FrontierStatement = FrontierStatement()
  ) async throws -> FrontierStatement {
    try await connection.send(.hello(PipeHello(user: user)))
    _ = try await connection.receive()
    try await connection.send(statement, PipeMessage.statement)
    return try await connection.receiveStatement()
  }

  /// Delivers lines and returns the result.
  func give(_ lines: [[UInt8]]) async throws -> ReceiveResult? {
    try await deliver(lines)
    let message = try await connection.receive()
    if case .result(let result) = message { return result }
    return nil
  }
}
