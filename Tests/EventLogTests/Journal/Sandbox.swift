import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// A folder of journals, with an instrumented disk and seeded device IDs.
struct Sandbox {
  let folder: TemporaryFolder
  let disk: InstrumentedFileSystem
  private let random: RandomText
  /// The file system for the tests themselves, which bypasses `disk`.
  private let system = SystemFileSystem()

  init(seed: UInt64 = 1) throws {
    folder = try TemporaryFolder()
    disk = InstrumentedFileSystem(machineIdentity: "desk")
    random = .seeded(seed)
  }

  // MARK: - Random tests

  /// The first seed of the random tests. Failing tests print their seed.
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
    _ name: String = "ada.jsonl", on disk: (any FileSystem)? = nil, user: String? = "ada"
  ) -> JournalWriter<EventList> {
    JournalWriter(
      path: folder.file(name), options: options(on: disk, user: user), sink: EventList())
  }

  /// Creates a journal with one batch of `count` events after the join event.
  @discardableResult
  func begin(_ count: Int = 2) throws -> DeviceID {
    try writer().append(count).events[0].device
  }

  static func withoutBlanks(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.prefix(byteCount(withoutBlanks: bytes)))
  }

  /// The number of bytes before the spaces at the end.
  ///
  /// Compares whole pages: byte by byte, it took half the time of the append tests (debug build).
  static func byteCount(withoutBlanks bytes: [UInt8]) -> Int {
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

  /// Whether `bytes` begins with the first `count` bytes of `others`.
  static func begins(_ bytes: [UInt8], with others: [UInt8], upTo count: Int) -> Bool {
    guard bytes.count >= count, others.count >= count else { return false }
    return count == 0
      || bytes.withUnsafeBytes { bytes in
        others.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, count) == 0 }
      }
  }

  func journal(_ name: String = "ada.jsonl") -> Journal {
    // On the same machine as the writers, but without the faults of their disk.
    Journal(
      path: folder.file(name), catalog: .standard,
      fileSystem: InstrumentedFileSystem(machineIdentity: "desk"))
  }

  /// All readable events, in file order.
  func events(_ name: String = "ada.jsonl") throws -> [EventID] {
    var events: [EventID] = []
    _ = try journal(name).replay { event, _ in
      events.append(event.id)
      return true
    }
    return events
  }

  /// The notes of `verify`, except for unknown event types.
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

  /// Overwrites the file in the same inode.
  func put(_ bytes: [UInt8], _ name: String = "ada.jsonl") throws {
    let file = try system.open(folder.file(name), .create)
    defer { system.close(file) }
    try system.truncate(file, to: 0)
    try system.writeAll(file, bytes, at: 0)
  }

  /// Copies the file to a new inode.
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

  /// Lines of another device, as a sync receives them, each with its LF.
  static func lines(
    of device: String, count: Int, user: String = "ada", at time: Int64 = 0
  ) -> [[UInt8]] {
    var device = HandmadeDevice(device)
    return (0..<count).map { number in
      number == 0
        ? device.join(user: user, name: "t", at: time) : device.write("note.added", at: time)
    }.map { $0 + [0x0A] }
  }

  /// The lines of `bytes`, each with its LF.
  static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A).map { Array($0) + [0x0A] }
  }

  /// Damages a line by flipping one bit shortly before its checksum.
  static func broken(_ line: [UInt8]) -> [UInt8] {
    var line = line
    line[line.count - 30] ^= 1
    return line
  }
}

/// Collects the IDs of the applied events.
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
  /// Appends `count` events in one batch, and expects that the journal only grows.
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

  /// Expects that at most a doubtful end and free space were removed.
  private func expectGrown(from before: [UInt8], _ outcome: Outcome) {
    let keptBytes = Array(before.dropLast(Int(outcome.quarantinedBytes)))
    let count = Sandbox.byteCount(withoutBlanks: keptBytes)
    #expect(Sandbox.begins(content, with: keptBytes, upTo: count), "A journal only grows.")
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
