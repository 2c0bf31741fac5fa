import EventLog
import Synchronization

/// In what a device does not keep to what it should.
package enum BadPeer: String, Sendable, CaseIterable {
  /// One of its lines is missing.
  case gap
  /// A bit of one of its lines has flipped.
  case changedLine
  /// It states a device of another user, and hands out its events.
  case strangeDevice
  /// It states a device that has seen what nobody has written.
  case unseenEvent
  /// Between its lines there is one that is longer than any may be.
  case longLine
  /// It says that it holds more than it does.
  case overstating
  /// It says that it holds less than it does.
  case understating
  /// It says that it is another user's.
  case otherUser
  /// It hands out what it holds and was not asked for.
  case unaskedLines
  /// It says that it has taken what it has thrown away.
  case forgetful
  /// It gives up in the middle.
  case failing

  /// What it does, for a list of actions.
  var text: String {
    switch self {
    case .gap: "leaves a line out"
    case .changedLine: "hands out a line that has changed"
    case .strangeDevice: "hands out another user's events"
    case .unseenEvent: "hands out an event that has seen what is not there"
    case .longLine: "hands out a line without an end"
    case .overstating: "says that it holds more"
    case .understating: "says that it holds less"
    case .otherUser: "says that it is another user's"
    case .unaskedLines: "hands out what it was not asked for"
    case .forgetful: "throws away what it takes"
    case .failing: "gives up in the middle"
    }
  }

  /// Lines of a device that nobody may take, or nobody may take all of, and where they end.
  var strangeLines: (point: HistoryPoint, device: DeviceID, lines: [[UInt8]])? {
    guard self == .strangeDevice || self == .unseenEvent else { return nil }
    let device = DeviceID("stranger-aaaaaaaa")!
    var (lines, chain) = ([[UInt8]](), UInt32(0))
    var last = LineChecksum(line: 0, chain: 0)
    func add(_ covered: String) {
      last = LineChecksum.of(covered: Array(covered.utf8), after: chain)
      chain = last.chain
      lines.append(Array("\(covered),\"crc\":\"\(last)\"}".utf8))
    }
    let user = self == .strangeDevice ? "ben" : "ada"
    add(
      #"{"id":"\#(device):1","at":"2026-01-01T00:00:00Z","type":"device.joined","#
        + #""data":{"user":"\#(user)","name":"stranger"}"#)
    let seen = self == .strangeDevice ? "" : #""seen":{"nobody-aaaaaaaa":3},"#
    add(
      #"{"id":"\#(device):2","at":"2026-01-01T00:00:00Z","type":"device.noted",\#(seen)"#
        + #""data":{}"#)
    return (HistoryPoint(sequence: 2, checksum: last), device, lines)
  }
}

/// A remote that does not keep to what it should.
struct BadRemote: Remote {
  let base: any Remote
  let peer: BadPeer
  let seed: UInt64
  var address: String { base.address }

  func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    // Who throws away what it takes changes nothing.
    var visit = visit
    if peer == .forgetful { visit.isRehearsal = true }
    return BadSession(base: try await base.connect(visit), peer: peer, seed: seed)
  }
}

private final class BadSession: RemoteSession {
  let base: any RemoteSession
  let peer: BadPeer
  let seed: UInt64
  /// What there is.
  private let held = Mutex(VectorClock())

  init(base: any RemoteSession, peer: BadPeer, seed: UInt64) {
    self.base = base
    self.peer = peer
    self.seed = seed
  }

  func statement(
    to visitor: any DeviceHistories
  ) async throws(EventLogError) -> FrontierStatement {
    var statement = try await base.statement(to: visitor)
    let clock = statement.clock
    held.withLock { $0 = clock }
    if let strange = peer.strangeLines { statement.frontier[strange.device] = strange.point }
    switch peer {
    case .otherUser: statement.user = "ben"
    case .understating: statement.frontier = statement.frontier.filter { $0.value.sequence > 2 }
    case .overstating:
      for (device, point) in statement.frontier where device.text.utf8.count % 2 == 0 {
        let checksum = LineChecksum(line: point.checksum.line ^ 1, chain: point.checksum.chain)
        statement.frontier[device] = HistoryPoint(
          sequence: point.sequence + 3, checksum: checksum)
      }
    default: break
    }
    return statement
  }

  func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum? {
    try await base.checksum(of: event, inHistoryTo: point)
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let held = held.withLock { $0 }
    var asked = ranges.filter { held[$0.device] >= $0.first }.map {
      EventRange(device: $0.device, first: $0.first, last: min($0.last, held[$0.device]))
    }
    if peer == .unaskedLines, let first = asked.first {
      asked[0] = EventRange(device: first.device, first: 1, last: first.last)
    }
    return BadSource(base: try await base.read(asked), peer: peer, seed: seed)
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {
    try await base.announce(statement)
  }

  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    if peer == .failing { throw EventLogError(.remoteFailed, "It does not answer any more.") }
    return try await base.write(lines)
  }

  func proceed() async throws(EventLogError) -> Reception? { try await base.proceed() }

  func finish() async throws(EventLogError) -> Set<String> { try await base.finish() }
}

private struct BadSource: LineSource {
  let base: any LineSource
  let peer: BadPeer
  let seed: UInt64

  func next() async throws(EventLogError) -> LineBatch? {
    guard let batch = try await base.next() else { return nil }
    var random = SplitMix64(seed: seed)
    var lines = batch.bytes.split(separator: 0x0A).map { Array($0) }
    let place = Int.random(in: 0..<max(1, lines.count), using: &random)
    switch peer {
    case .gap: if !lines.isEmpty { lines.remove(at: place) }
    case .changedLine: if !lines.isEmpty { lines[place][lines[place].count / 2] ^= 1 }
    case .longLine:
      let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineLimits.lineBytesMax + 1)
      lines.insert(long, at: place)
    case .failing: throw EventLogError(.remoteFailed, "It does not answer any more.")
    default: lines += peer.strangeLines?.lines ?? []
    }
    var changed = LineBatch()
    for line in lines { changed.add(line) }
    return changed
  }
}
