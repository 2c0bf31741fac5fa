import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Syncs with a bad device and a good one, by each transport: the bad device's events are refused,
/// pending or reported, the good device's events are received, and nothing invalid is written.
@Suite struct BadPeerTests {
  enum Transport: String, CaseIterable, Sendable { case pipe, journal, folder }

  enum Fault: String, CaseIterable, Sendable {
    case gap, unseen, otherUser, changed, forged, tooLong, fewer, more, others

    /// The lines of the device as they are stated and as they are delivered.
    var lines: (stated: [[UInt8]], delivered: [[UInt8]]) {
      var device = HandmadeDevice("wrong-aaaaaaaa")
      let joined = device.join(user: self == .otherUser ? "ben" : "ada")
      var other = device
      let unseen = FullEventID("none-aaaaaaaa:4~00000001")!
      let second = device.event(seeing: self == .unseen ? [unseen] : [])
      let third = device.event()
      switch self {
      case .gap: return ([joined, second, third], [joined, third])
      case .unseen, .otherUser: return ([joined, second], [joined, second])
      case .changed:
        var changed = second
        changed[second.lastIndex(of: UInt8(ascii: "x"))!] ^= 1
        return ([joined, second], [joined, changed])
      case .forged:
        let forged = HandmadeDevice.forging(second, before: 0x1234_5678)
        return ([joined, forged], [joined, forged])
      case .tooLong:
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineLimits.lineBytesMax + 1)
        return ([joined, second], [joined, long])
      case .fewer: return ([joined, second, third], [joined])
      case .more: return ([joined, second], [joined, second, third])
      case .others: return ([joined, second], [joined, other.event(text: "other")])
      }
    }

    /// Whether the content changes after it was stated. A journal can only state its own content.
    var isChange: Bool { [.fewer, .more, .others].contains(self) }
  }

  private static let expected: [Fault: [Transport: String]] = [
    .gap: [
      .pipe: "took 1, refused 3 gap", .journal: "took 1 3, lacks 2",
      .folder: "awaits 1–3, bad file",
    ],
    .unseen: [
      .pipe: "took 1, refused 2 gap", .journal: "took 1 2, lacks none-aaaaaaaa:1–4",
      .folder: "took 1, awaits 2",
    ],
    .otherUser: [
      .pipe: "refused 1 otherUser", .journal: "damage", .folder: "refused 1 otherUser",
    ],
    .changed: [
      .pipe: "took 1, refused a line checksumMismatch", .journal: "took 1, damage",
      .folder: "awaits 1–2, bad file",
    ],
    .forged: [
      .pipe: "took 1, refused 2 gap", .journal: "took 1 2, lacks 1, fork",
      .folder: "awaits 1, awaits 2, bad file",
    ],
    .tooLong: [
      .pipe: "took 1, refused a line lineTooLong", .journal: "took 1, damage",
      .folder: "awaits 1–2, bad file",
    ],
    .fewer: [
      .pipe: "took 1, awaits 2–3", .journal: "took 1, inputOutput",
      .folder: "awaits 1–3, late file",
    ],
    .more: [.pipe: "remoteFailed", .journal: "took 1 2", .folder: "awaits 1–2, bad file"],
    .others: [
      .pipe: "took 1, refused 2 otherThanStated", .journal: "took 1, inputOutput",
      .folder: "awaits 1–2, bad file",
    ],
  ]

  @Test(arguments: Fault.allCases, Transport.allCases)
  func `a bad device's events are kept out while a good device's are received`(
    fault: Fault, transport: Transport
  ) async throws {
    let folder = try TemporaryFolder()
    let phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
    var good = HandmadeDevice("good-aaaaaaaa")
    let sound = [good.join(user: "ada"), good.event(), good.event()]
    let remote = try remote(transport, sound, fault, folder)
    let came = try await Self.outcome(phone, remote)
    #expect(came == Self.expected[fault]?[transport])
    // Nothing invalid was written, and the good device's events were received.
    #expect(try phone.journal.verify().problems.allSatisfy { $0.code == .gap })
    #expect(try phone.sequences(of: good.id) == [1, 2, 3])
  }

  /// The outcome of a pull for the bad device.
  private static func outcome(
    _ phone: TemporaryStore, _ remote: any Remote
  ) async throws -> String {
    let wrong = DeviceID("wrong-aaaaaaaa")!
    func text(_ range: EventRange) -> String { "\(range)".replacing("\(wrong):", with: "") }
    var ending: [String] = []
    do {
      let report = try await phone.sync(with: remote, .pull)
      ending = report.refused.map { refusal in
        "refused \(refusal.sequence.map { "\($0)" } ?? "a line") \(refusal.code.text)"
      }
      ending += report.pending.map { "awaits \(text($0))" }
      ending += report.missing.map { "lacks \(text($0))" }
      ending += report.forks.map { _ in "fork" }
      let known = [
        "is damaged (line ": "damage", " is damaged, so": "bad file",
        " is incomplete, so": "late file",
      ]
      let notices = report.notices.map { notice in
        known.first { notice.contains($0.key) }?.value ?? notice
      }
      // If the other side lacks events, this side lacks them too.
      if report.missing.isEmpty { ending += notices }
    } catch {
      ending = [error.code.text]
    }
    let taken = try phone.sequences(of: wrong).map { " \($0)" }.joined()
    return ((taken.isEmpty ? [] : ["took" + taken]) + ending).joined(separator: ", ")
  }

  // MARK: - Transports

  private func remote(
    _ transport: Transport, _ sound: [[UInt8]], _ fault: Fault, _ folder: TemporaryFolder
  ) throws -> any Remote {
    let (stated, delivered) = fault.lines
    switch transport {
    case .pipe:
      return ScriptedPeer.remote(
        stating: FrontierStatement(
          user: "ada", tips: HandmadeHistories(sound + stated).tips),
        delivering: [sound, delivered])
    case .journal:
      // Keep the bad lines away from the end, where they would be a doubtful end.
      let path = folder.file("far.jsonl")
      @Sendable func content(_ lines: [[UInt8]]) -> [UInt8] {
        (sound.prefix(2) + lines + sound.suffix(1)).flatMap { $0 + [0x0A] }
      }
      try write(content(fault.isChange ? stated : delivered), to: path)
      return ChangingRemote(base: JournalRemote(path: path)) {
        guard fault.isChange else { return }
        // An added event comes after all other lines.
        let bytes =
          fault == .more
          ? content(stated) + delivered.last! + [0x0A] : content(delivered)
        try? self.write(bytes, to: path)
      }
    case .folder:
      let bucket = HandmadeBucket()
      bucket.state(HandmadeHistories(sound + stated).tips)
      for (lines, content) in [(sound, sound), (stated, delivered)] {
        let end = HandmadeHistories(lines).tips.last!
        let checksum = LineChecksum(text: lines.last!.suffix(18).prefix(16))!
        bucket.storage.objects[RangeName(EventRange(from: 1, to: end), checksum).text] =
          content.flatMap { $0 + [0x0A] }
      }
      return bucket.remote
    }
  }

  /// Overwrites the file in place.
  private func write(_ bytes: [UInt8], to path: String) throws(Errno) {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
  }
}

/// A remote that changes between stating its tips and sending its lines.
private struct ChangingRemote: ReachableRemote {
  let base: any ReachableRemote
  let change: @Sendable () -> Void
  var address: String { base.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    Session(base: try await base.connect(request), change: change)
  }

  private struct Session: RemoteSession {
    let base: any RemoteSession
    let change: @Sendable () -> Void

    func statement(
      to initiator: FrontierStatement, _ lookup: any HistoryLookup
    ) async throws(EventLogError) -> FrontierStatement {
      try await base.statement(to: initiator, lookup)
    }

    func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
      try await base.chains(queries)
    }

    func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
      change()
      return try await base.read(ranges)
    }

    func announce(_ statement: FrontierStatement) async throws(EventLogError) {
      try await base.announce(statement)
    }

    func write(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
      try await base.write(lines)
    }

    var notices: [String] { get async { await base.notices } }

    func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }
  }
}
