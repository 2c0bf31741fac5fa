import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogPipe

/// Peers that keep a sync busy without progress, which ends it, and slow ones, which don't.
@Suite struct OwedProgressTests {
  private let phone: TemporaryStore
  private let clock = ManualTime()

  init() async throws {
    phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
  }

  /// Returns the error of a sync with a server that follows `script`, by the test's clock.
  private func failure(
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError {
    let lines = try phone.lines()
    let remote = ScriptedPeer.remote(clock: clock, script)
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(try phone.lines() == lines)
    return try #require(error)
  }

  /// Sends a welcome and receives the initiator's statement.
  private static func greet(_ peer: ScriptedPeer) async throws {
    _ = try await peer.connection.receive()
    try await peer.connection.send(.welcome(version: 1))
    _ = try await peer.connection.receiveStatement()
  }

  @Test func `a sync ends if the server waits without progress`() async throws {
    let error = try await failure { [clock] peer in
      try await Self.greet(peer)
      for _ in 0..<1000 {
        clock.pass(seconds: 9)
        try await peer.connection.send(.wait(done: 7))
        await Task.yield()
      }
    }
    #expect(error.message == "\"far\" sent nothing useful for 60 s. Nothing was changed.")
    #expect(error.hint == "Run it again to continue.")
  }

  @Test func `a server that reports progress for minutes is waited for`() async throws {
    let remote = ScriptedPeer.remote(clock: clock) { [clock] peer in
      try await Self.greet(peer)
      for work in Int64(0)..<9 {
        clock.pass(seconds: 10)
        try await peer.connection.send(.wait(done: work))
      }
      try await peer.connection.send(FrontierStatement(), PipeMessage.statement)
      _ = try await peer.receive()
      try await peer.connection.send(.finished(notices: []))
    }
    let report = try await phone.sync(with: remote, .pull)
    #expect(report.pulledCount == 0 && clock.now >= 1_090_000)
  }

  @Test func `a server that reports progress forever ends the sync`() async throws {
    let error = try await failure { [clock] peer in
      try await Self.greet(peer)
      for work in Int64(0)... {
        clock.pass(seconds: 9)
        try await peer.connection.send(.wait(done: work))
        await Task.yield()
      }
    }
    #expect(error.message.contains("did not finish a message within 600 s"))
  }

  @Test func `a server that sends empty statements ends the sync`() async throws {
    let error = try await failure { peer in
      try await Self.greet(peer)
      while true {
        try await peer.connection.send(.statement(FrontierStatement(), isLast: false))
      }
    }
    #expect(error.message.contains("sent more statements than allowed"))
  }

  @Test func `a server that sends only unacceptable lines ends the sync`() async throws {
    var far = HandmadeDevice("far-aaaaaaaa")
    _ = far.join(user: "ada")
    let tip = FullEventID(device: far.id, sequence: LineLimits.sequenceMax, chain: 1)
    let error = try await failure { [clock] peer in
      try await peer.greet(stating: FrontierStatement(user: "ada", tips: [tip]))
      _ = try await peer.receive()
      // Until the connection is closed: the number of lines in flight isn't known.
      while true {
        clock.pass(seconds: 7)
        try await peer.deliver([Array("{}".utf8)])
        await Task.yield()
      }
    }
    #expect(error.message.contains("sent nothing useful for 60 s"))
  }

  @Test func `a server that reads nothing and keeps sending ends the sync`() async throws {
    var remote = PipeRemote(address: "far") { [clock] () throws(EventLogError) in
      TalkingChannel(clock: clock)
    }
    remote.now = { [clock] in clock.now }
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(error?.message == "\"far\" sent an unexpected \"end\". Nothing was changed.")
  }

  // MARK: - Server

  /// Returns the server's error after an exchange with an initiator that follows `script`.
  private func serverFailure(
    _ script: @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> String? {
    try await ScriptedPeer.initiate(phone.path, clock: clock) { peer in
      _ = try await peer.exchangeStatements(stating: FrontierStatement(user: "ada"))
      try? await script(peer)
    }?.message
  }

  @Test func `a server refuses wait messages of an initiator`() async throws {
    let message = try await serverFailure { peer in
      for work in Int64(0)... { try await peer.connection.send(.wait(done: work)) }
    }
    #expect(message?.contains("sent an unexpected \"wait\"") == true)
  }

  @Test func `an initiator that sends empty ranges or announcements is refused`() async throws {
    for (part, what) in [
      (PipeMessage.read([], isLast: false), "ranges"),
      (.announce(FrontierStatement(), isLast: false), "announcements"),
    ] {
      let message = try await serverFailure { peer in
        while true { try await peer.connection.send(part) }
      }
      #expect(message?.contains("sent more \(what) than allowed") == true)
    }
  }

  @Test func `an initiator that sends only unacceptable lines is refused`() async throws {
    let message = try await serverFailure { [clock] peer in
      let statement = FrontierStatement(user: "ada")
      try await peer.connection.send(.announce(statement, isLast: true))
      while true {
        clock.pass(seconds: 45)
        _ = try await peer.give([Array("{}".utf8)])
      }
    }
    #expect(message?.contains("The initiator sent nothing useful for 600 s") == true)
  }

  @Test func `a waiting server reports how much it has read`() async throws {
    var limits = PipeLimits()
    limits.waitMessageIntervalMilliseconds = 1
    let disk = SystemFileSystem()
    let heard = Mutex("")
    let error = try await ScriptedPeer.initiate(phone.path, limits: limits) { peer in
      _ = try await peer.exchangeStatements(stating: FrontierStatement(user: "ada"))
      let file = try disk.open(phone.path, .readWrite)
      defer { disk.close(file) }
      #expect(try disk.tryLock(file, exclusive: true))
      try await peer.connection.send(.announce(FrontierStatement(user: "ada"), isLast: true))
      try await peer.deliver([Array("{}".utf8)])
      let bytes = try await peer.channel.read(within: 10_000)
      heard.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
    }
    #expect(error == nil)
    let line = try #require(heard.withLock { $0 }.split(separator: "\n").first)
    guard case .wait(let readCount?) = PipeMessage(line: Array(line.utf8)) else {
      Issue.record("\(line)")
      return
    }
    #expect(try readCount >= Int64(phone.lines().joined(separator: "\n").utf8.count))
  }
}

/// A channel whose writes fail, and whose reads return the same message once a second.
private final class TalkingChannel: ByteChannel {
  private let clock: ManualTime

  init(clock: ManualTime) { self.clock = clock }

  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    clock.pass(seconds: 1)
    return PipeMessage.end.bytes
  }

  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    throw .brokenPipe
  }

  func close() {}
}
