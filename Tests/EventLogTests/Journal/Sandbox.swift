import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// A folder with journals, a disk that counts and fails, and device IDs that never repeat.
struct Sandbox {
  let folder: TemporaryFolder
  let disk: InstrumentedFileSystem
  private let random: RandomText
  /// Where the tests look, past the disk that counts.
  private let system = SystemFileSystem()

  init(seed: UInt64 = 1) throws {
    folder = try TemporaryFolder()
    disk = InstrumentedFileSystem(machineIdentity: "desk")
    random = .seeded(seed)
  }

  // MARK: - Random tests

  /// What random tests begin with; printed by those that fail.
  static let seed =
    ProcessInfo.processInfo.environment["EVENTLOG_SEED"].flatMap(UInt64.init)
    ?? .random(in: 0...999_999)

  // MARK: - Journals

  var path: String { folder.file("ada.jsonl") }
  var recordPath: String { folder.file("ada.eventlog/device.json") }

  func options(
    on disk: (any FileSystem)? = nil, user: String? = "ada", wait: Int64 = 30
  ) -> JournalOptions {
    JournalOptions(
      fileSystem: disk ?? self.disk, clock: .fixed(1_800_000_000_000), random: random,
      deviceName: "phone", user: user, lockWaitMilliseconds: wait)
  }

  func writer(
    _ name: String = "ada.jsonl", on disk: (any FileSystem)? = nil, user: String? = "ada",
    commitsBeforeRoom: Int = 8
  ) -> JournalWriter<EventList> {
    var options = options(on: disk, user: user)
    options.commitsBeforeRoom = commitsBeforeRoom
    return JournalWriter(path: folder.file(name), options: options, sink: EventList())
  }

  /// A journal with a first batch of `count` events behind the joining.
  @discardableResult
  func begin(_ count: Int = 2) throws -> DeviceID {
    try writer().append(count).events[0].device
  }

  /// A journal with room at its end, as a crash leaves it.
  @discardableResult
  func prepareRoom() throws -> JournalWriter<EventList> {
    try begin()
    let writer = writer(commitsBeforeRoom: 0)
    try writer.append()
    return writer
  }

  /// How many spaces there are at the end of the file.
  func roomByteCount() throws -> Int {
    let bytes = try bytes()
    return bytes.count - Self.withoutRoom(bytes).count
  }

  static func withoutRoom(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.prefix(byteCount(withoutRoom: bytes)))
  }

  /// How many bytes stand before the spaces at the end.
  ///
  /// Whole pages are compared at once: byte by byte, an unoptimised build took half the time of the
  /// tests of appending for them.
  static func byteCount(withoutRoom bytes: [UInt8]) -> Int {
    let page = 4096
    var count = bytes.count
    blankPage.withUnsafeBytes { blank in
      bytes.withUnsafeBytes { all in
        while count >= page,
          memcmp(all.baseAddress! + (count - page), blank.baseAddress!, page) == 0
        {
          count -= page
        }
      }
    }
    while count > 0, bytes[count - 1] == 0x20 { count -= 1 }
    return count
  }

  private static let blankPage = [UInt8](repeating: 0x20, count: 4096)

  /// Whether `bytes` begin with the first `count` bytes of `others`.
  static func begins(_ bytes: [UInt8], with others: [UInt8], upTo count: Int) -> Bool {
    guard bytes.count >= count, others.count >= count else { return false }
    return count == 0
      || bytes.withUnsafeBytes { bytes in
        others.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, count) == 0 }
      }
  }

  func journal(_ name: String = "ada.jsonl") -> Journal {
    // On the same machine as the writers, and apart from the failures of their disk.
    Journal(
      path: folder.file(name), catalog: .standard,
      fileSystem: InstrumentedFileSystem(machineIdentity: "desk"))
  }

  /// All events that can be read, in the order of the file.
  func events(_ name: String = "ada.jsonl") throws -> [EventID] {
    var events: [EventID] = []
    _ = try journal(name).replay { event, _ in
      events.append(event.id)
      return true
    }
    return events
  }

  /// What `verify` notes, besides that the types of these tests are not known.
  func notes(_ name: String = "ada.jsonl") throws -> [JournalProblem.Note] {
    try journal(name).verify().notes.compactMap { problem in
      guard case .note(let note) = problem.code, note != .unknownType else { return nil }
      return note
    }
  }

  // MARK: - Bytes

  func bytes(_ name: String = "ada.jsonl") throws -> [UInt8] {
    try system.contents(ofFile: folder.file(name), maximumBytes: 1 << 26)
  }

  func exists(_ name: String) -> Bool { (try? system.status(at: folder.file(name))) != nil }

  /// Gives the file these bytes, in the same inode.
  func put(_ bytes: [UInt8], _ name: String = "ada.jsonl") throws {
    let file = try system.open(folder.file(name), .create)
    defer { system.close(file) }
    try system.truncate(file, to: 0)
    try system.writeAll(file, bytes, at: 0)
  }

  /// Makes a new file of the same bytes.
  func copy(_ name: String, to target: String) throws {
    try? system.remove(folder.file(target))
    try put(try bytes(name), target)
  }

  func makeFolder(_ name: String) throws { try system.makeFolder(folder.file(name)) }

  func rename(_ name: String, to target: String) throws {
    try system.rename(folder.file(name), to: folder.file(target))
  }

  func remove(_ name: String) throws { try system.remove(folder.file(name)) }

  /// The contents of every file in quarantine.
  func quarantine(_ name: String = "ada.eventlog") throws -> [[UInt8]] {
    let files = (try? system.contents(of: folder.file(name + "/quarantine"))) ?? []
    return try files.map { try bytes(name + "/quarantine/" + $0) }
  }

  // MARK: - Lines

  /// Lines of another device, as a sync would bring them, each with its LF.
  static func lines(
    of device: String, count: Int, user: String = "ada", at time: Int64 = 1_700_000_000_000
  ) -> [[UInt8]] {
    var chain: UInt32 = 0
    return (1...count).map { sequence in
      var writer = EventLineWriter(after: chain)
      writer.write(
        id: EventID(device: DeviceID(device)!, sequence: Int64(sequence)),
        at: Timestamp(milliseconds: time)!,
        type: sequence == 1 ? "device.joined" : "note.added", entity: nil, seen: [],
        data: sequence == 1
          ? JSONObject([.init(name: "user", value: .string(user)), .init(name: "name", value: "t")])
          : JSONObject())
      chain = writer.checksum.chain
      return writer.bytes
    }
  }

  /// The lines of `bytes`, each with its LF.
  static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A).map { Array($0) + [0x0A] }
  }

  /// The line with one bit of its time changed, so that only its checksum tells.
  static func broken(_ line: [UInt8]) -> [UInt8] {
    var line = line
    line[line.count - 30] ^= 1
    return line
  }
}

/// Remembers which events it was given.
struct EventList: EventSink {
  var ids: [String] = []

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    ids.append("\(ledger.name(branch)):\(layout.sequence)")
  }
}

extension JournalWriter {
  /// Appends so many events at once, each with so many bytes of text, and expects the journal to
  /// have grown, and nothing else.
  @discardableResult
  func append(
    _ count: Int = 1, textBytes: Int = 10, durably: Bool = true
  ) throws(EventLogError) -> Outcome {
    let before = content
    let outcome = try commit(durably: durably) { (batch) throws(EventLogError) in
      for _ in 0..<count {
        _ = try batch.add(
          EventDraft(
            type: "note.added",
            data: JSONObject([
              .init(name: "text", value: .string(String(repeating: "x", count: textBytes)))
            ])))
      }
    }
    pass.ledger.checkInvariants()
    expectGrown(from: before, outcome)
    return outcome
  }

  private var content: [UInt8] {
    (try? SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 26)) ?? []
  }

  /// Of what was there, a doubtful end may be gone, and free space.
  private func expectGrown(from before: [UInt8], _ outcome: Outcome) {
    let kept = Array(before.dropLast(Int(outcome.quarantinedBytes)))
    let count = Sandbox.byteCount(withoutRoom: kept)
    #expect(Sandbox.begins(content, with: kept, upTo: count), "A journal only grows.")
  }
}

/// Runs `body` and returns the error it must throw.
func failure(_ body: () throws(EventLogError) -> Void) -> EventLogError? {
  do throws(EventLogError) {
    try body()
    return nil
  } catch {
    return error
  }
}
