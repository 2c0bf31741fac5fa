import EventLogTesting
import Testing

@testable import EventLog

/// What a journal tells of the devices that carry re-issued events.
@Suite struct ReissuesTests {
  private static let was = "old-aaaaaaaa:7/0123456789abcdef"

  private func ledger(_ history: History) -> Ledger {
    var pass = JournalPass(sink: LedgerSink())
    var scanner = LineScanner()
    scanner.scanLines(Array(history.lines.joined()), into: &pass)
    return pass.ledger
  }

  private var history: History {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let again = history.device("again")
    history.append(phone, "settings.changed", ["theme": "dark"])
    for (number, text) in ["7", "8"].enumerated() {
      history.append(
        again, EventDraft(type: "settings.changed", data: ["n": .string(text)]),
        was: "old-aaaaaaaa:\(7 + number)/0123456789abcdef")
    }
    return history
  }

  @Test func `a ledger names each such device with the first event that it carries`() throws {
    let reissues = ledger(history).reissues
    let device = try #require(DeviceID("again-aaaaaaaa"))
    let original = try #require(EventID("old-aaaaaaaa:7"))
    let checksum = try #require(LineChecksum("0123456789abcdef"))
    #expect(
      reissues == [Reissue(device: device, original: original, checksum: checksum)])
    #expect(reissues.first?.was == Self.was)
  }

  @Test func `what stands behind a gap is not told`() throws {
    var pass = JournalPass(sink: LedgerSink())
    var scanner = LineScanner()
    let lines = history.lines.filter { !String(decoding: $0, as: UTF8.self).contains(Self.was) }
    scanner.scanLines(Array(lines.joined()), into: &pass)
    #expect(pass.ledger.reissues.isEmpty)
  }

  @Test(arguments: [
    (#""\#(was)""#, true), (#" "old-aaaaaaaa\u003a7/0123456789abcdef""#, true),
    (#""\#(was)x""#, false), (#""old-aaaaaaaa:7/0123456789ABCDEF""#, false), ("7", false),
    ("null", false), (#"["\#(was)"]"#, false),
  ])
  func `a line of a later version re-issues what its was says, if it is one`(
    was: String, isWas: Bool
  ) throws {
    var device = HandmadeDevice("later-aaaaaaaa")
    let joined = device.join(user: "ada")
    let line = device.respelled(#"{"id":"later-aaaaaaaa:2","was":\#(was),"v":2,"data":1"#)
    var pass = JournalPass(sink: LedgerSink())
    var scanner = LineScanner()
    scanner.scanLines(joined + [0x0A] + line + [0x0A], into: &pass)
    #expect(pass.ledger.devices.first?.last == 2)
    #expect(pass.ledger.reissues.map(\.was) == (isWas ? [Self.was] : []))
  }

  @Test func `lines that are received fit as they fit when they are read, and so do own ones`()
    throws
  {
    for seed in RandomRounds(60) {
      let sandbox = try Sandbox()
      let history = RandomHistory.reissued(seed: seed)
      let writer = sandbox.writer()
      var reception = Reception()
      for line in history.lines(order: seed) {
        _ = try writer.commit { (batch) throws(EventLogError) in
          reception = batch.receive(line)
        }
        try #require(reception.received.count == 1, "EVENTLOG_SEED=\(seed)")
      }
      try writer.append(2)
      try #require(try sandbox.journal().verify().problems.isEmpty, "EVENTLOG_SEED=\(seed)")
      // A fresh device has seen all that there is, under all its names.
      let last = history.entries.reduce(into: [DeviceID: Int64]()) { last, entry in
        last[entry.id.device] = entry.id.sequence
      }
      var own: VectorClock?
      _ = try sandbox.journal().replay { event, _ in
        if last[event.id.device] == nil, own == nil { own = event.seen }
        return true
      }
      try #require(own?.entries == last, "EVENTLOG_SEED=\(seed)")
    }
  }

  @Test func `a checkpoint keeps it`() throws {
    let ledger = ledger(history)
    var encoder = ColumnEncoder()
    ledger.encode(into: &encoder)
    var decoder = ColumnDecoder(encoder.bytes[...])
    #expect(try Ledger(from: &decoder).reissues == ledger.reissues)
    #expect(decoder.isAtEnd)
  }

  @Test func `a frontier in a shared place says it, and all of them together`() async throws {
    let name = try #require(DeviceID("again-aaaaaaaa"))
    let other = try #require(DeviceID("anew-aaaaaaaa"))
    func reissue(_ device: DeviceID, _ was: String) throws -> Reissue {
      try #require(Reissue(device: device, was: was))
    }
    let storage = MemoryStorage()
    let remote = ObjectRemote(storage, random: .seeded(7))
    for (writer, reissues) in [
      ("phone-aaaaaaaa", [try reissue(name, Self.was)]),
      ("tablet-aaaaaaaa", [try reissue(name, Self.was), try reissue(other, Self.was)]),
    ] {
      let session = try await remote.connect(
        RemoteVisit(user: "ada", device: DeviceID(writer)))
      _ = try await session.statement(to: NobodyHistories())
      try await session.announce(FrontierStatement(user: "ada", reissues: reissues))
    }
    let session = try await remote.connect(RemoteVisit(user: "ada", device: nil))
    let statement = try await session.statement(to: NobodyHistories())
    #expect(statement.reissues == [try reissue(name, Self.was), try reissue(other, Self.was)])
  }
}

/// Of a visitor that holds nothing.
private struct NobodyHistories: DeviceHistories {
  var points: [DeviceID: HistoryPoint] { [:] }
  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? { nil }
}
