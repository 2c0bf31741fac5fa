import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogPipe

/// The initiator's reaction to a server that violates the protocol or its own statements.
///
/// ``BadPeerTests`` covers invalid events, which can arrive in any way.
@Suite struct BadServerTests {
  /// A device whose events are all valid.
  private static let good: (id: DeviceID, lines: [[UInt8]]) = {
    var device = HandmadeDevice("good-aaaaaaaa")
    return (device.id, [device.join(user: "ada"), device.event(), device.event()])
  }()

  /// The statement of a server that holds `lines`.
  private func statement(_ lines: [[UInt8]], user: String = "ada") -> FrontierStatement {
    FrontierStatement(user: user, tips: HandmadeHistories(lines).tips)
  }

  private func initiator() async throws -> TemporaryStore {
    let store = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await store.create(Meal.self, key: "mine")
    return store
  }

  /// Syncs with a server that states `stated` and delivers `batches`.
  private func run(
    stating stated: [[UInt8]], delivering batches: [[[UInt8]]]
  ) async throws -> (report: SyncReport, events: [EventID]) {
    let phone = try await initiator()
    let remote = ScriptedPeer.remote(
      stating: statement(Self.good.lines + stated), delivering: batches)
    let report = try await phone.sync(with: remote, .pull)
    #expect(try phone.journal.verify().problems.isEmpty)
    #expect(phone.snapshot.frontier[Self.good.id].map(\.sequence) == [3])
    return (report, try phone.events().map(\.id))
  }

  // MARK: - More than stated

  @Test func `an event after a stated tip is refused`() async throws {
    var wrong = HandmadeDevice("wrong-aaaaaaaa")
    let lines = [wrong.join(user: "ada"), wrong.event()]
    let (report, events) = try await run(
      stating: lines,
      delivering: [[lines[0], wrong.event()], Array(Self.good.lines)])
    #expect(report.refused.map(\.code) == [.otherThanStated])
    #expect(events.filter { $0.device == wrong.id }.map(\.sequence) == [1])
  }

  @Test func `an event of an unstated device is refused`() async throws {
    var stated = HandmadeDevice("stated-aaaaaaa")
    var wrong = HandmadeDevice("wrong-aaaaaaaa")
    let (report, events) = try await run(
      stating: [stated.join(user: "ada")],
      delivering: [[wrong.join(user: "ada")] + Self.good.lines])
    #expect(report.refused.map(\.code) == [.otherThanStated])
    #expect(!events.contains { $0.device == wrong.id })
  }

  @Test func `more events than stated end the sync and keep what came before`() async throws {
    var endless = HandmadeDevice("endless-aaaaaa")
    var lines = [endless.join(user: "ada")]
    let stated = statement(Self.good.lines + lines)
    for _ in 0..<100 { lines.append(endless.event()) }
    let phone = try await initiator()
    let all = lines
    let remote = ScriptedPeer.remote { peer in
      try await peer.greet(stating: stated)
      _ = try await peer.receive()
      try await peer.deliver(Self.good.lines)
      while true { for line in all { try await peer.deliver([line]) } }
    }
    let error = await #expect(throws: EventLogError.self) {
      try await phone.sync(with: remote)
    }
    #expect(error?.code == .remoteFailed)
    #expect(error?.message.contains("sent more events than allowed") == true)
    let events = try phone.events().map(\.id.device)
    #expect(events.count { $0 == Self.good.id } == 3 && events.count { $0 == endless.id } == 1)
    #expect(try phone.journal.verify().problems.isEmpty)
  }

  @Test func `a sync succeeds although more events are stated than can be counted`() async throws {
    var stated = statement(Self.good.lines)
    for number in 0..<2000 {
      stated.tips.append(
        FullEventID(
          device: DeviceID("many-\(number)")!, sequence: LineLimits.sequenceMax, chain: 1))
    }
    let folder = try TemporaryFolder()
    let store = try await EventStore.open(
      path: folder.file("own.jsonl"),
      options: JournalOptions(user: "ada", devicesMax: .max), catalog: .standard)
    let report = try await store.sync(
      with: ScriptedPeer.remote(stating: stated, delivering: [Self.good.lines]), .pull)
    try await store.close()
    #expect(report.pulledCount == 3 && report.pending.count == 2000)
  }

  // MARK: - Protocol violations

  /// Returns the error of a sync with a server that follows `script`.
  private func failure(
    limits: PipeLimits = PipeLimits(),
    _ script: @escaping @Sendable (ScriptedPeer) async throws -> Void
  ) async throws -> EventLogError {
    let phone = try await initiator()
    let lines = try phone.lines()
    let remote = ScriptedPeer.remote(limits: limits, script)
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(try phone.lines() == lines)
    #expect(error?.code == .remoteFailed)
    return try #require(error)
  }

  @Test func `a silent server ends the sync with an error`() async throws {
    let error = try await failure(limits: ScriptedPeer.shortLimits) { peer in
      _ = try await peer.connection.receive()
      try await Task.sleep(for: .seconds(20))
    }
    #expect(error.message == "\"far\" sent nothing for 300 ms. Nothing was changed.")
  }

  @Test func `a server that sends one byte at a time ends the sync with an error`() async throws {
    let error = try await failure(limits: ScriptedPeer.shortLimits) { peer in
      while true {
        try await peer.sendText(" ")
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    #expect(error.message.contains("did not finish a message"))
  }

  @Test func `a server that sends an endless line ends the sync with an error`() async throws {
    let error = try await failure { peer in
      let part = String(repeating: "x", count: 1 << 16)
      while true { try await peer.sendText(part) }
    }
    #expect(error.message.contains("sent a message longer than the protocol allows"))
  }

  /// Texts that arrive instead of a welcome, and the quoted parts.
  static let greetings = [
    ("Welcome to desk!\r\n", "Welcome to desk!\u{FFFD}"),
    ("\u{1B}[2J\u{7}\n", "\u{FFFD}[2J\u{FFFD}"),
    ("{}\n", "{}"), ("[1]\n", "[1]"), (#"{"welcome":{"protocol":"1"}}"# + "\n", "protocol"),
    (#"{"welcome":{"protocol":1},"more":{}}"# + "\n", "more"), ("\u{202E}\n", "\u{FFFD}"),
    (#"{"greeting":{}}"# + "\n", "greeting"), ("\n", "\"\""),
  ]

  @Test(arguments: greetings)
  func `bytes that aren't the protocol are quoted in the error`(text: String, quoted: String)
    async throws
  {
    let error = try await failure { peer in
      try await peer.sendText(text)
      _ = try? await peer.connection.receive()
    }
    #expect(error.message.contains("sent something that is not the eventlog protocol"))
    #expect(error.message.contains(quoted))
    #expect(error.hint?.contains("nothing else may print anything") == true)
  }

  static let wrongCounts = [
    #"{"lines":{"count":0,"bytes":0}}"#, #"{"lines":{"count":-1,"bytes":5}}"#,
    #"{"lines":{"count":8192,"bytes":9000}}"#, #"{"lines":{"count":1,"bytes":99999999999}}"#,
    #"{"lines":{"count":5,"bytes":4}}"#, #"{"lines":{"count":1e0,"bytes":4}}"#,
    #"{"lines":{"count":2,"bytes":4}}"# + "\n{}x\n", #"{"lines":{"count":1,"bytes":4}}"# + "\n{}xx",
  ]

  @Test(arguments: wrongCounts)
  func `lines with wrong counts end the sync`(text: String) async throws {
    let stated = statement(Self.good.lines)
    let error = try await failure { peer in
      try await peer.greet(stating: stated)
      _ = try await peer.receive()
      try await peer.sendText(text + "\n")
      _ = try? await peer.connection.receive()
    }
    #expect(error.message.contains("not the eventlog protocol"))
  }

  @Test func `an unexpected message ends the sync`() async throws {
    let error = try await failure { peer in try await peer.connection.send(.finished(notices: [])) }
    #expect(error.message.contains("sent an unexpected \"finished\""))
  }

  @Test func `a server of a later version ends the sync with a hint`() async throws {
    let error = try await failure { peer in try await peer.connection.send(.welcome(version: 2)) }
    #expect(error.message.contains("uses version 2 of the protocol, but this side uses 1"))
    #expect(error.hint == "Update eventlog on this side.")
  }

  @Test func `repeated or unsorted statements end the sync`() async throws {
    var late = HandmadeDevice("late-aaaaaaaa")
    _ = late.join(user: "ada")
    let stated = statement(Self.good.lines)
    let (good, gap) = (stated.tips[0], EventRange(from: 1, to: late.tip))
    let bad: [[FrontierStatement]] = [
      [stated, stated], [stated, FrontierStatement(tips: [good])],
      [FrontierStatement(tips: [late.tip, good])], [FrontierStatement(tips: [good, good])],
      [FrontierStatement(missing: [gap]), FrontierStatement(missing: [gap])],
    ]
    for parts in bad {
      let error = try await failure { peer in
        _ = try await peer.connection.receive()
        try await peer.connection.send(.welcome(version: 1))
        for part in parts { try await peer.connection.send(.statement(part, isLast: false)) }
        while true { _ = try await peer.connection.receive() }
      }
      #expect(error.message.contains("sent more statements than allowed"))
    }
  }

  static let malformedStatements = [
    #"{}"#, #"{"tips":{}}"#, #"{"tips":["good-aaaaaaaa:3"]}"#, #"{"tips":["good-aaaaaaaa:3~1"]}"#,
    #"{"tips":["good-aaaaaaaa:0~00000001"]}"#, #"{"tips":[],"adopted":[1]}"#,
    #"{"tips":[],"missing":[{"device":"good-aaaaaaaa","first":2,"last":1,"chain":"00000001"}]}"#,
    #"{"tips":[],"missing":[{"device":"good-aaaaaaaa","first":1,"last":1}]}"#,
    #"{"tips":[],"user":""}"#,
  ]

  @Test(arguments: malformedStatements)
  func `a malformed statement ends the sync`(text: String) async throws {
    let error = try await failure { peer in
      _ = try await peer.connection.receive()
      try await peer.connection.send(.welcome(version: 1))
      try await peer.sendText(#"{"statement":"# + text + "}\n")
      while true { _ = try await peer.connection.receive() }
    }
    #expect(error.message.contains("not the eventlog protocol"))
  }

  @Test func `an answer to more or fewer queries than sent ends the sync`() async throws {
    // The initiator asks about a device that both sides hold in part.
    var device = HandmadeDevice("asked-aaaaaaaa")
    let lines = [device.join(user: "ada")]
    _ = device.event()
    let stated = FrontierStatement(user: "ada", tips: [device.tip])
    for chains: [UInt32?] in [[], [1, nil], [nil, nil, nil]] {
      let phone = try await initiator()
      try await phone.remote.give(lines, of: "ada")
      let remote = ScriptedPeer.remote { peer in
        try await peer.greet(stating: stated)
        guard case .question = try await peer.connection.receive() else { return }
        try await peer.connection.send(.answer(chains))
        _ = try? await peer.connection.receive()
      }
      let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
      #expect(error?.message.contains("sent an unexpected \"answer\"") == true)
    }
  }

  @Test func `receipts for more events than sent end the sync`() async throws {
    let error = try await failure { peer in
      try await peer.greet(stating: FrontierStatement())
      while true {
        guard case .lines(let count, let byteCount) = try await peer.receive() else { continue }
        _ = try await peer.connection.receiveLines(count, byteCount: byteCount)
        var result = ReceiveResult()
        result.received.insert(
          EventRange(device: Self.good.id, first: 1, last: LineLimits.sequenceMax, chain: 1))
        try await peer.connection.send(.result(result))
      }
    }
    #expect(error.message.contains("sent more receipts than allowed"))
  }

  @Test func `a server's error message is truncated and stripped of control characters`()
    async throws
  {
    let error = try await failure { peer in
      let text = "\u{1B}[31mred\r\n" + String(repeating: "long ", count: 1000)
      try await peer.connection.send(
        .error(PipeComplaint(code: "ofTheFuture", message: text, hint: text)))
    }
    #expect(error.message.hasPrefix("\"far\" reports: \u{FFFD}[31mred\u{FFFD} long"))
    for text in [error.message, try #require(error.hint)] {
      #expect(text.unicodeScalars.count < 600)
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
  }

  @Test func `a server's notices are limited in number and length, and name the server`()
    async throws
  {
    let phone = try await initiator()
    let remote = ScriptedPeer.remote { peer in
      try await peer.greet(stating: FrontierStatement())
      while true {
        switch try await peer.receive() {
        case .lines(let count, let byteCount):
          _ = try await peer.connection.receiveLines(count, byteCount: byteCount)
          try await peer.connection.send(.result(ReceiveResult()))
        case .finish:
          let long = String(repeating: "long ", count: 1000)
          let notices = ["It has \u{1B}[2Jdamage.", long] + (0..<1000).map { "\($0)" }
          try await peer.connection.send(.finished(notices: notices))
        default: break
        }
      }
    }
    let notices = try await phone.sync(with: remote).notices
    #expect(notices.count == PipeLimits.noticeCountMax)
    #expect(notices.first == "\"far\" reports: It has \u{FFFD}[2Jdamage.")
    #expect(notices.allSatisfy { $0.count < 600 })
  }

  @Test func `a server's error keeps its code, message and hint`() async throws {
    let phone = try await initiator()
    let remote = ScriptedPeer.remote { peer in
      try await peer.connection.send(
        .error(PipeComplaint(code: "locked", message: "The journal is busy.", hint: "Wait.")))
    }
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(error?.code == .locked)
    #expect(error?.message == "\"far\" reports: The journal is busy.")
    #expect(error?.hint == "Wait.")
  }

  @Test func `a canceled sync stops waiting for its server`() async throws {
    let phone = try await initiator()
    let remote = ScriptedPeer.remote { peer in
      _ = try await peer.connection.receive()
      try await Task.sleep(for: .seconds(60))
    }
    let task = Task { () -> EventLogError? in
      do throws(EventLogError) {
        try await phone.sync(with: remote)
        return nil
      } catch { return error }
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(await task.value?.code == .canceled)
  }
}
