import EventLogTesting
import Testing

@testable import EventLog

/// What a server makes of a visitor that does not keep to what it should.
@Suite struct BadVisitorTests {
  private let folder: TemporaryFolder
  private let path: String
  private let device: HandmadeDevice
  private let lines: [[UInt8]]

  /// A journal of one device with two events.
  init() async throws {
    folder = try TemporaryFolder()
    path = folder.file("far.jsonl")
    var device = HandmadeDevice("far-aaaaaaaa")
    lines = [device.join(user: "ada"), device.event()]
    self.device = device
    try await JournalRemote(path: path).give(lines, of: "ada")
  }

  /// The server's error after a visit, having said what it was; the journal is as it was.
  private func failure(
    limits: PipeLimits = PipeLimits(),
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError {
    let before = try contents()
    let said = Recorder()
    let error = try await ScriptedPeer.visit(path, limits: limits) { peer in
      do {
        try await script(peer)
        await said.note(await peer.connection.lastWords())
      } catch PipeFault.complaint(let words) {
        await said.note(words)
      } catch {
        await said.note(await peer.connection.lastWords())
      }
    }
    let failure = try #require(error)
    #expect(await said.words?.message == failure.message)
    #expect(try contents() == before)
    return failure
  }

  private func contents() throws -> [UInt8] {
    try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 20)
  }

  @Test func `garbage`() async throws {
    let error = try await failure { peer in try await peer.say("GET / HTTP/1.1\r\n\r\n") }
    #expect(error.message.hasPrefix("The visitor said something that is not the protocol"))
    #expect(error.code == .remoteFailed)
  }

  @Test func `a version from the future, which says who is to update`() async throws {
    let error = try await failure { peer in
      try await peer.connection.send(.hello(PipeHello(versions: [2, 3])))
    }
    #expect(error.message.contains("speaks version 2 of the protocol, and this one 1"))
    #expect(error.hint == "Update eventlog on the side that serves.")
  }

  @Test func `one that speaks later versions too is spoken to in this one`() async throws {
    let error = try await ScriptedPeer.visit(path) { peer in
      try await peer.connection.send(.hello(PipeHello(versions: [1, 2])))
      guard case .welcome(version: 1) = try await peer.connection.receive() else {
        Issue.record("no welcome")
        return
      }
    }
    #expect(error == nil)
  }

  @Test func `a line that never ends`() async throws {
    let error = try await failure { peer in
      let part = String(repeating: " ", count: 1 << 16)
      for _ in 0..<100 { try await peer.say(part) }
    }
    #expect(error.message.contains("a message longer than the protocol allows"))
  }

  @Test func `silence`() async throws {
    let error = try await failure(limits: ScriptedPeer.shortLimits) { peer in
      _ = try await peer.enter()
      try await Task.sleep(for: .seconds(2))
    }
    #expect(error.message.contains("said nothing for 300 ms"))
  }

  @Test func `lines that were not announced`() async throws {
    let lines = lines
    let error = try await failure { peer in
      _ = try await peer.enter()
      try await peer.deliver(lines)
    }
    #expect(error.message.contains("sent \"lines\" where it makes no sense"))
  }

  @Test func `ranges that were not stated, or twice`() async throws {
    let id = device.id
    let bad: [[EventRange]] = [
      [EventRange(device: id, first: 1, last: 3)],
      [EventRange(device: DeviceID("none-aaaaaaaa")!, first: 1, last: 1)],
      [EventRange(device: id, first: 1, last: 1), EventRange(device: id, first: 2, last: 2)],
    ]
    for ranges in bad {
      let error = try await failure { peer in
        _ = try await peer.enter()
        try await peer.connection.send(.read(ranges, isLast: true))
      }
      #expect(error.message.contains("sent more ranges than it may"))
    }
  }

  @Test func `reading again and again`() async throws {
    let id = device.id
    let error = try await failure { peer in
      _ = try await peer.enter()
      while true {
        try await peer.connection.send(
          .read([EventRange(device: id, first: 1, last: 1)], isLast: true))
        guard case .lines(let count, let byteCount) = try await peer.connection.receive() else {
          return
        }
        _ = try await peer.connection.receiveLines(count, byteCount: byteCount)
        _ = try await peer.connection.receive()
      }
    }
    #expect(error.message.contains("sent more requests than it may"))
  }

  @Test func `ranges without an end`() async throws {
    let ranges = (0..<4096).map { EventRange(device: DeviceID("d\($0)")!, first: 1, last: 1) }
    let error = try await failure { peer in
      _ = try await peer.enter()
      for _ in 0..<20 { try await peer.connection.send(.read(ranges, isLast: false)) }
    }
    #expect(error.message.contains("sent more ranges than it may"))
  }

  @Test func `messages of the wrong side`() async throws {
    for message in [PipeMessage.welcome(version: 1), .end, .finished, .answer(nil)] {
      let error = try await failure { peer in
        _ = try await peer.enter()
        try await peer.connection.send(message)
      }
      #expect(error.message.contains("sent \"\(message.name)\" where it makes no sense"))
    }
  }

  @Test func `another user`() async throws {
    var ben = HandmadeDevice("ben-aaaaaaaa")
    let lines = [ben.join(user: "ben"), ben.event()]
    try await expectRefused(lines, user: "ben", [.otherUser])
  }

  @Test func `events that cannot be`() async throws {
    var gap = HandmadeDevice("gap-aaaaaaaa")
    let joined = gap.join(user: "ada")
    _ = gap.event()
    var unseen = HandmadeDevice("unseen-aaaaaaa")
    let claiming = [unseen.join(user: "ada"), unseen.event(seeing: ["none-aaaaaaaa": 1])]
    var stranger = HandmadeDevice("stranger-aaaaa")
    _ = stranger.join(user: "ada")
    try await expectRefused([joined, gap.event()] + claiming, [.gap, .unseenEvent])
    try await expectRefused([stranger.event(), Array("{}".utf8)], [.gap, .line(.missingChecksum)])
  }

  /// Gives lines of which these codes are refused; all else is taken.
  private func expectRefused(
    _ lines: [[UInt8]], user: String = "ada", _ codes: [JournalProblem.Code],
    _ place: SourceLocation = #_sourceLocation
  ) async throws {
    let result = Recorder()
    let error = try await ScriptedPeer.visit(path) { peer in
      _ = try await peer.enter(user: user)
      try await peer.connection.send(.announce(FrontierStatement(user: user), isLast: true))
      await result.note(try await peer.give(lines))
    }
    let reception = try #require(await result.reception, sourceLocation: place)
    #expect(error == nil, sourceLocation: place)
    #expect(reception.refused.map(\.code) == codes, sourceLocation: place)
    #expect(try Journal(path: path).verify().problems.isEmpty, sourceLocation: place)
  }

  @Test func `one that leaves at any moment is no failure`() async throws {
    var other = HandmadeDevice("other-aaaaaaaa")
    let lines = [other.join(user: "ada"), other.event()]
    for step in 0..<5 {
      let error = try await ScriptedPeer.visit(path) { peer in
        if step == 0 { return }
        if step == 1 { return try await peer.say(#"{"hello":{"proto"#) }
        _ = try await peer.enter()
        if step == 2 { return }
        try await peer.connection.send(.announce(FrontierStatement(user: "ada"), isLast: true))
        if step == 3 { return try await peer.say(#"{"lines":{"count":1,"bytes":500}}"# + "\nhalf") }
        _ = try await peer.give(lines)
      }
      #expect(error == nil)
      #expect(try Journal(path: path).verify().problems.isEmpty)
    }
    #expect(try Journal(path: path).verify().eventCount == 4)
  }
}

/// Takes down what a script heard.
private actor Recorder {
  var words: PipeComplaint?
  var reception: Reception?

  func note(_ words: PipeComplaint?) { self.words = words }
  func note(_ reception: Reception?) { self.reception = reception }
}
