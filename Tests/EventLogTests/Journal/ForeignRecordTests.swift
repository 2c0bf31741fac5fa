import EventLogCollections
import EventLogInspection
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog

/// The `device.json` of another file doesn't apply to this one.
@Suite struct ForeignRecordTests {
  @Test func `a record of another file doesn't turn damage into a torn tail`() throws {
    let box = try Sandbox()
    try box.begin()
    let older = try box.bytes("ada.eventlog/device.json")
    for _ in 0..<5 { try box.writer().append() }
    // A copy with an older record beside it, and one damaged line among its own events.
    var lines = Sandbox.lines(try box.bytes())
    lines[4][30] ^= 1
    try box.put(Array(lines.joined()), "copy.jsonl")
    try SystemFileSystem().makeFolder(box.folder.file("copy.eventlog"))
    try box.put(older, "copy.eventlog/device.json")

    let report = try box.journal("copy.jsonl").verify()
    #expect(report.problems.map(\.code) == [.line(.malformed), .gap])
    #expect(report.problems.map(\.line) == [5, 6])
    let before = try box.bytes("copy.jsonl")
    let outcome = try box.writer("copy.jsonl").append()
    #expect(outcome.quarantined == nil)
    #expect(outcome.freshDevice == .otherFile)
    #expect(try box.bytes("copy.jsonl").starts(with: before))
  }

  @Test func `the folder of a quarantine file is synced before the journal is cut`() throws {
    let box = try Sandbox()
    try box.begin()
    try box.put(try box.bytes() + Array("{\"id\":".utf8))
    let order = OrderedCalls(box.disk)
    try JournalWriter(path: box.path, options: box.options(on: order), sink: EventList()).append()
    let cut = try #require(order.calls.firstIndex(of: "truncate"))
    let synced = order.calls[..<cut].filter { $0.hasPrefix("syncFolder") }
    #expect(synced.contains("syncFolder quarantine"))
    #expect(synced.contains("syncFolder ada.eventlog"))
  }
}

/// With thousands of devices, the memory for clocks grows with the entries, not with their square.
@Suite struct ManyDevicesTests {
  @Test func `clocks return exactly the entries that were added`() {
    var row = ClockRow()
    var history = ClockHistory()
    for device in [0, 31, 32, 5000] {
      #expect(row[device] == 0)
      row[device] = Int64(device) + 1
      history.add(7, 3, sees: device == 7 ? 8 : device, upTo: Int64(device) + 1)
    }
    for device in [0, 31, 32, 5000] { #expect(row[device] == Int64(device) + 1) }
    #expect(row[1] == 0)
    #expect(row[33] == 0)
    let before = history.clock(of: 7, at: 2)
    #expect(before[7] == 2)
    #expect(before.enumerated().allSatisfy { $0.offset == 7 || $0.element == 0 })
    #expect(history.clock(of: 7, at: 3)[5000] == 5001)
    #expect(history.clock(of: 7, at: 9)[7] == 9)
  }

  @Test func `a refused device's adoption doesn't count`() throws {
    var phone = HandmadeDevice("phone-a")
    var stranger = HandmadeDevice("other-b")
    var guest = HandmadeDevice("guest-c")
    let lines = [
      phone.join(user: "ada"), stranger.join(user: "ben"),
      stranger.write("user.adopted", nil, ["from": "guest", "to": "ada"]),
      guest.join(user: "guest"),
    ]
    let box = try Sandbox()
    try box.put(lines.flatMap { $0 + [0x0A] })
    let report = try Journal(path: box.path, catalog: .standard, user: "ada").verify()
    #expect(report.problems.map(\.code) == [.otherUser, .otherUser])
    #expect(report.problems.map(\.line) == [2, 4])
  }
}

/// Records the order of truncations and folder syncs.
private final class OrderedCalls: PassingFileSystem {
  let base: InstrumentedFileSystem
  private let made = Mutex<[String]>([])
  var calls: [String] { made.withLock { $0 } }

  init(_ base: InstrumentedFileSystem) { self.base = base }

  func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    made.withLock { $0.append("truncate") }
    try base.truncate(file, to: size)
  }

  func syncFolder(_ path: String) throws(Errno) {
    made.withLock { $0.append("syncFolder \(Path.name(of: path))") }
    try base.syncFolder(path)
  }
}
