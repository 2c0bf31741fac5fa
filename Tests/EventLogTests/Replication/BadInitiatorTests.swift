import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogPipe

/// The server's reaction to an initiator that violates the protocol.
@Suite struct BadInitiatorTests {
  private let folder: TemporaryFolder
  private let path: String
  private let device: HandmadeDevice
  private let lines: [[UInt8]]

  /// The last event and the one before it.
  private let tip: FullEventID
  private let first: FullEventID

  /// A journal of one device with two events.
  init() async throws {
    folder = try TemporaryFolder()
    path = folder.file("far.jsonl")
    var device = HandmadeDevice("far-aaaaaaaa")
    let joined = device.join(user: "ada")
    first = device.tip
    lines = [joined, device.event()]
    tip = device.tip
    self.device = device
    try await JournalRemote(path: path).give(lines, of: "ada")
  }

  /// Returns the server's error after an exchange.
  ///
  /// The error is also sent to the initiator, and the journal is unchanged.
  private func failure(
    limits: PipeLimits = PipeLimits(),
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError {
    let before = try contents()
    let recorder = Recorder()
    let error = try await ScriptedPeer.initiate(path, limits: limits) { peer in
      do {
        try await script(peer)
        await recorder.note(await peer.connection.lastWords(within: 60_000))
      } catch PipeFault.complaint(let complaint) {
        await recorder.note(complaint)
      } catch {
        await recorder.note(await peer.connection.lastWords(within: 60_000))
      }
    }
    let failure = try #require(error)
    #expect(await recorder.complaint?.message == failure.message)
    #expect(try contents() == before)
    return failure
  }

  private func contents() throws -> [UInt8] {
    try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 20)
  }

  @Test func `a server refuses bytes that aren't the protocol`() async throws {
    let error = try await failure { peer in try await peer.sendText("GET / HTTP/1.1\r\n\r\n") }
    #expect(
      error.message.hasPrefix("The initiator sent something that is not the eventlog protocol"))
    #expect(error.code == .remoteFailed)
  }

  @Test func `a server refuses a later version and names the side to update`() async throws {
    let error = try await failure { peer in
      try await peer.connection.send(.hello(PipeHello(versions: [2, 3])))
    }
    #expect(error.message.contains("uses version 2 of the protocol, but this side uses 1"))
    #expect(error.hint == "Update eventlog on the serving side.")
  }

  @Test func `an initiator that also supports later versions gets version 1`() async throws {
    let error = try await ScriptedPeer.initiate(path) { peer in
      try await peer.connection.send(.hello(PipeHello(versions: [1, 2])))
      guard case .welcome(version: 1, _, _) = try await peer.connection.receive() else {
        Issue.record("no welcome")
        return
      }
    }
    #expect(error == nil)
  }

  @Test func `a server ends an exchange with an endless line`() async throws {
    let error = try await failure { peer in
      let part = String(repeating: " ", count: 1 << 16)
      for _ in 0..<100 { try await peer.sendText(part) }
    }
    #expect(error.message.contains("a message longer than the protocol allows"))
  }

  @Test func `a server ends an exchange with a silent initiator`() async throws {
    let error = try await failure(limits: ScriptedPeer.shortLimits) { peer in
      _ = try await peer.exchangeStatements()
      try await Task.sleep(for: .seconds(2))
    }
    #expect(error.message.contains("sent nothing for 300 ms"))
  }

  @Test func `a server refuses lines before an announcement`() async throws {
    let lines = lines
    let error = try await failure { peer in
      _ = try await peer.exchangeStatements()
      try await peer.deliver(lines)
    }
    #expect(error.message.contains("sent an unexpected \"lines\""))
  }

  @Test func `a server refuses requests for ranges whose end it doesn't hold`() async throws {
    var later = device
    _ = later.event()
    var other = HandmadeDevice("none-aaaaaaaa")
    _ = other.join(user: "ada")
    let forged = FullEventID(device: tip.device, sequence: tip.sequence, chain: ~tip.chain)
    for end in [later.tip, other.tip, forged] {
      let error = try await failure { [tip] peer in
        _ = try await peer.exchangeStatements()
        let ranges = [EventRange(from: 1, to: tip), EventRange(from: 1, to: end)]
        try await peer.connection.send(.read(ranges, isLast: true))
      }
      #expect(error.message.contains("sent more ranges than allowed"))
    }
  }

  @Test func `a server sends a range that ends before a stated tip`() async throws {
    let error = try await ScriptedPeer.initiate(path) { [first, lines] peer in
      _ = try await peer.exchangeStatements()
      try await peer.connection.send(.read([EventRange(from: 1, to: first)], isLast: true))
      guard case .lines(count: 1, let byteCount) = try await peer.connection.receive() else {
        Issue.record("no lines")
        return
      }
      let batch = try await peer.connection.receiveLines(1, byteCount: byteCount)
      #expect(batch.bytes == lines[0] + [0x0A])
    }
    #expect(error == nil)
  }

  @Test func `a server answers queries in the order received`() async throws {
    let recorder = Recorder()
    var other = HandmadeDevice("none-aaaaaaaa")
    _ = other.join(user: "ada")
    let queries = [
      HistoryQuery(sequence: 1, in: tip), HistoryQuery(holds: other.tip), HistoryQuery(holds: tip),
    ]
    let error = try await ScriptedPeer.initiate(path) { peer in
      _ = try await peer.exchangeStatements()
      try await peer.connection.send(.question(queries))
      if case .answer(let chains) = try await peer.connection.receive() {
        await recorder.note(chains)
      }
    }
    #expect(error == nil)
    #expect(await recorder.chains == [first.chain, nil, tip.chain])
  }

  static let malformedQueries = [
    #"{}"#, #"{"queries":[]}"#, #"{"queries":[[3,"far-aaaaaaaa:2~00000001"]]}"#,
    #"{"queries":[[0,"far-aaaaaaaa:2~00000001"]]}"#, #"{"queries":[[1,"far-aaaaaaaa:2"]]}"#,
    #"{"queries":[["far-aaaaaaaa:2~00000001",1]]}"#, #"{"queries":[[1]]}"#, #"{"queries":[1]}"#,
  ]

  @Test(arguments: malformedQueries)
  func `a server refuses malformed queries`(text: String) async throws {
    let error = try await failure { peer in
      _ = try await peer.exchangeStatements()
      try await peer.sendText(#"{"question":"# + text + "}\n")
    }
    #expect(error.message.contains("sent something that is not the eventlog protocol"))
  }

  @Test func `a server limits repeated requests for the same range`() async throws {
    let error = try await failure { [first] peer in
      _ = try await peer.exchangeStatements()
      while true {
        try await peer.connection.send(.read([EventRange(from: 1, to: first)], isLast: true))
        guard case .lines(let count, let byteCount) = try await peer.connection.receive() else {
          return
        }
        _ = try await peer.connection.receiveLines(count, byteCount: byteCount)
        _ = try await peer.connection.receive()
      }
    }
    #expect(error.message.contains("sent more requests than allowed"))
  }

  @Test func `a server limits the number of requested ranges`() async throws {
    let ranges = (0..<4096).map {
      EventRange(device: DeviceID("d\($0)")!, first: 1, last: 1, chain: 1)
    }
    let error = try await failure { peer in
      _ = try await peer.exchangeStatements()
      for _ in 0..<20 { try await peer.connection.send(.read(ranges, isLast: false)) }
    }
    #expect(error.message.contains("sent more ranges than allowed"))
  }

  @Test func `a server refuses messages that only servers send`() async throws {
    for message in [PipeMessage.welcome(version: 1), .end, .finished(notices: []), .answer([nil])] {
      let error = try await failure { peer in
        _ = try await peer.exchangeStatements()
        try await peer.connection.send(message)
      }
      #expect(error.message.contains("sent an unexpected \"\(message.name)\""))
    }
  }

  @Test func `a server refuses another user's events`() async throws {
    var ben = HandmadeDevice("ben-aaaaaaaa")
    let lines = [ben.join(user: "ben"), ben.event()]
    try await expectRefused(lines, user: "ben", [.otherUser])
  }

  @Test func `a server refuses events with a gap and a device that hasn't joined`() async throws {
    var gap = HandmadeDevice("gap-aaaaaaaa")
    let joined = gap.join(user: "ada")
    _ = gap.event()
    var stranger = HandmadeDevice("stranger-aaaaa")
    _ = stranger.join(user: "ada")
    var unseen = HandmadeDevice("unseen-aaaaaaa")
    let claiming = [unseen.join(user: "ada"), unseen.event(seeing: [stranger.tip])]
    var fresh = HandmadeDevice("fresh-aaaaaaaa")
    try await expectRefused([joined, gap.event()] + claiming, [.gap, .gap])
    // The stranger has not joined, and its event's predecessor is missing.
    try await expectRefused(
      [stranger.event(), Array("{}".utf8)], [.gap, .line(.missingChecksum)])
    try await expectRefused([fresh.event()], [.notJoined])
  }

  @Test func `a server accepts an event that needs an announced missing event`() async throws {
    var other = HandmadeDevice("other-aaaaaaaa")
    let joined = other.join(user: "ada")
    _ = other.event()
    let lost = other.tip
    let lines = [joined, other.event()]
    let announcement = FrontierStatement(
      user: "ada", tips: HandmadeHistories(lines).tips, missing: [EventRange(from: 2, to: lost)])
    let result = Recorder()
    let error = try await ScriptedPeer.initiate(path) { peer in
      _ = try await peer.exchangeStatements()
      try await peer.connection.send(.announce(announcement, isLast: true))
      await result.note(try await peer.give(lines))
    }
    #expect(error == nil)
    #expect(await result.result?.refused == [])
    #expect(try Journal(path: path).verify().problems.map(\.code) == [.gap])
  }

  /// Delivers lines, and expects that exactly those with these problem codes are refused.
  private func expectRefused(
    _ lines: [[UInt8]], user: String = "ada", _ codes: [JournalProblem.Code],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let result = Recorder()
    let error = try await ScriptedPeer.initiate(path) { peer in
      _ = try await peer.exchangeStatements(user: user)
      try await peer.connection.send(.announce(FrontierStatement(user: user), isLast: true))
      await result.note(try await peer.give(lines))
    }
    let received = try #require(await result.result, sourceLocation: location)
    #expect(error == nil, sourceLocation: location)
    #expect(received.refused.map(\.code) == codes, sourceLocation: location)
    #expect(try Journal(path: path).verify().problems.isEmpty, sourceLocation: location)
  }

  @Test func `an initiator that disconnects at any step causes no error`() async throws {
    var other = HandmadeDevice("other-aaaaaaaa")
    let lines = [other.join(user: "ada"), other.event()]
    for step in 0..<5 {
      let error = try await ScriptedPeer.initiate(path) { peer in
        if step == 0 { return }
        if step == 1 { return try await peer.sendText(#"{"hello":{"proto"#) }
        _ = try await peer.exchangeStatements()
        if step == 2 { return }
        try await peer.connection.send(.announce(FrontierStatement(user: "ada"), isLast: true))
        if step == 3 {
          return try await peer.sendText(#"{"lines":{"count":1,"bytes":500}}"# + "\nhalf")
        }
        _ = try await peer.give(lines)
      }
      #expect(error == nil)
      #expect(try Journal(path: path).verify().problems.isEmpty)
    }
    #expect(try Journal(path: path, catalog: .standard).verify().eventCount == 4)
  }
}

/// Records the messages that a script receives.
private actor Recorder {
  var complaint: PipeComplaint?
  var result: ReceiveResult?
  var chains: [UInt32?] = []

  func note(_ complaint: PipeComplaint?) { self.complaint = complaint }
  func note(_ result: ReceiveResult?) { self.result = result }
  func note(_ chains: [UInt32?]) { self.chains = chains }
}
