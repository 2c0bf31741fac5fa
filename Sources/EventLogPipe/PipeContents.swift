package import EventLog
package import EventLogRemotes
import Synchronization

extension PipeRemote: ContentRemote {
  package func connectToContents() async throws(EventLogError) -> any ContentSession {
    let contents = PipeContents(try await open(), self)
    try await contents.begin()
    return contents
  }
}

/// The initiator's side of one run with the contents at the other end of a pipe.
final class PipeContents: ContentSession {
  private let connection: PipeConnection
  private let limits: PipeLimits
  private let address: String
  private let state = Mutex((isGreeted: false, hasEnded: false))

  init(_ channel: any ByteChannel, _ remote: PipeRemote) {
    connection = PipeConnection(
      channel, remote.limits, patience: remote.limits.patienceMilliseconds, now: remote.now)
    (limits, address) = (remote.limits, remote.address)
  }

  deinit { connection.close() }

  /// Introduces the initiator.
  func begin() async throws(EventLogError) {
    let keepsContents = try await exchange { (connection) throws(PipeFault) in
      var hello = PipeHello()
      hello.wantsContents = true
      let welcome = try await connection.greet(hello, self.limits)
      self.state.withLock { $0.isGreeted = true }
      return welcome.keepsContents
    }
    if keepsContents { return }
    await leave()
    throw EventLogError(
      .remoteFailed,
      "\"\(address)\" keeps no attachments, because eventlog there is too old. Nothing was"
        + " transferred.", hint: "Update eventlog there.")
  }

  func contents(after sha256: String?) async throws(EventLogError) -> [ContentID] {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.contents(after: sha256))
      let message = try await connection.receive()
      guard case .held(let contents) = message else { throw .unexpected(message.name) }
      // Otherwise, a listing might never end.
      let hashes = [sha256].compactMap(\.self) + contents.map(\.sha256)
      guard zip(hashes, hashes.dropFirst()).allSatisfy({ $0.precedes($1) }) else {
        throw .tooMany("contents")
      }
      return contents
    }
  }

  func read(
    _ content: ContentID, at offset: Int64, count: Int
  ) async throws(EventLogError) -> [UInt8]? {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.fetch(content, offset: offset, count: count))
      let message = try await connection.receive()
      guard case .part(let byteCount) = message else { throw .unexpected(message.name) }
      guard byteCount == 0 || byteCount == count else { throw .tooMany("bytes") }
      return byteCount == 0 ? nil : try await connection.receiveBytes(byteCount)
    }
  }

  func begin(_ content: ContentID) async throws(EventLogError) -> Int64? {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.offer(content))
      return try await Self.taken(connection, atMost: content.byteCount)
    }
  }

  func write(_ bytes: [UInt8]) async throws(EventLogError) -> Int64 {
    try await exchange { (connection) throws(PipeFault) in
      try await connection.send(.part(byteCount: bytes.count), bytes)
      guard let count = try await Self.taken(connection, atMost: .max) else {
        throw .unexpected("taken")
      }
      return count
    }
  }

  private static func taken(
    _ connection: PipeConnection, atMost countMax: Int64
  ) async throws(PipeFault) -> Int64? {
    let message = try await connection.receive()
    guard case .taken(let byteCount) = message else { throw .unexpected(message.name) }
    guard byteCount ?? 0 <= countMax else { throw .tooMany("bytes") }
    return byteCount
  }

  var hasEnded: Bool { state.withLock(\.hasEnded) }

  func leave() async {
    let isLast = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded && state.isGreeted
    }
    if isLast { try? await connection.send(.finish) }
    await connection.leave()
  }

  private func exchange<Value: Sendable>(
    _ body: (PipeConnection) async throws(PipeFault) -> Value
  ) async throws(EventLogError) -> Value {
    do throws(EventLogError) {
      return try await connection.exchange(
        with: address, isGreeted: { self.state.withLock(\.isGreeted) },
        meaning: "Attachments transferred so far are kept.", body)
    } catch {
      state.withLock { $0.hasEnded = true }
      throw error
    }
  }
}
