import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogPipe

/// Peers that keep a run busy and bring it no further: it ends, and one that is slow is waited for.
@Suite struct OwedProgressTests {
  private let phone: TemporaryStore
  private let clock = ManualTime()

  init() async throws {
    phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
  }

  /// The error of a run with a server that follows a script, by the clock of the test.
  private func failure(
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError {
    let lines = try phone.lines()
    let remote = ScriptedPeer.remote(clock: clock, script)
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(try phone.lines() == lines)
    return try #require(error)
  }

  /// Says hello, and hears what the initiator states.
  private static func greet(_ peer: ScriptedPeer) async throws {
    _ = try await peer.connection.receive()
    try await peer.connection.send(.welcome(version: 1))
    _ = try await peer.connection.receiveStatement()
  }

  @Test func `waits without end`() async throws {
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

  @Test func `one that works for minutes, and says how far it is, is waited for`() async throws {
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

  @Test func `work that grows for ever`() async throws {
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

  @Test func `parts that say nothing`() async throws {
    let error = try await failure { peer in
      try await Self.greet(peer)
      while true {
        try await peer.connection.send(.statement(FrontierStatement(), isLast: false))
      }
    }
    #expect(error.message.contains("sent more statements than allowed"))
  }

  @Test func `lines of which none can be taken`() async throws {
    var far = HandmadeDevice("far-aaaaaaaa")
    _ = far.join(user: "ada")
    let tip = FullEventID(device: far.id, sequence: LineLimits.sequenceMax, chain: 1)
    let error = try await failure { [clock] peer in
      try await peer.greet(stating: FrontierStatement(user: "ada", tips: [tip]))
      _ = try await peer.receive()
      // Until it is left: nobody knows how much of it is there when the other side first looks.
      while true {
        clock.pass(seconds: 7)
        try await peer.deliver([Array("{}".utf8)])
        await Task.yield()
      }
    }
    #expect(error.message.contains("sent nothing useful for 60 s"))
  }

  @Test func `one that takes nothing more, and says more and more`() async throws {
    var remote = PipeRemote(address: "far") { [clock] () throws(EventLogError) in
      TalkingChannel(clock: clock)
    }
    remote.now = { [clock] in clock.now }
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(
      error?.message == "\"far\" closed the connection before it answered. Nothing was changed.")
  }

  // MARK: - From the server's side

  /// The server's error after an exchange with an initiator that follows a script.
  private func serverFailure(
    _ script: @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> String? {
    try await ScriptedPeer.initiate(phone.path, clock: clock) { peer in
      _ = try await peer.enter(stating: FrontierStatement(user: "ada"))
      try? await script(peer)
    }?.message
  }

  @Test func `an initiator has nothing to wait with`() async throws {
    let message = try await serverFailure { peer in
      for work in Int64(0)... { try await peer.connection.send(.wait(done: work)) }
    }
    #expect(message?.contains("sent an unexpected \"wait\"") == true)
  }

  @Test func `ranges and announcements whose parts say nothing`() async throws {
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

  @Test func `an initiator of whose lines nothing can be taken is left`() async throws {
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

  @Test func `a server that waits says how much it has read`() async throws {
    var limits = PipeLimits()
    limits.waitMilliseconds = 1
    let disk = SystemFileSystem()
    let heard = Mutex("")
    let error = try await ScriptedPeer.initiate(phone.path, limits: limits) { peer in
      _ = try await peer.enter(stating: FrontierStatement(user: "ada"))
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
    guard case .wait(let done?) = PipeMessage(line: Array(line.utf8)) else {
      Issue.record("\(line)")
      return
    }
    #expect(try done >= Int64(phone.lines().joined(separator: "\n").utf8.count))
  }
}

/// The end of a pipe whose other end reads nothing, and always says the same; time passes.
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
