import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// A copied, cloned or rolled-back journal takes a fresh device ID. A renamed one keeps its ID.
@Suite struct JournalIdentityTests {
  let box: Sandbox

  init() throws { box = try Sandbox() }

  /// Expects each ID to identify one event across all these journals.
  private func expectNoIDTwice(_ names: String...) throws {
    var lines: [EventID: [UInt8]] = [:]
    for name in names {
      _ = try box.journal(name).replay { event, line in
        if let known = lines[event.id] { #expect(known == line, "\(event.id)") }
        lines[event.id] = line
        return true
      }
      // The fresh device refers to the events that were cut off.
      #expect(try box.journal(name).verify().problems.allSatisfy { $0.code == .gap })
    }
  }

  // MARK: - Fresh IDs

  @Test(arguments: [true, false])
  func `a copied folder writes under its own ID`(copyIsFirst: Bool) throws {
    let device = try box.begin()
    try box.copy("ada.jsonl", to: "copy.jsonl")
    try box.makeFolder("copy.eventlog")
    try box.copy("ada.eventlog/device.json", to: "copy.eventlog/device.json")
    if copyIsFirst { #expect(try box.writer("copy.jsonl").append().freshDevice == .otherFile) }
    #expect(try box.writer().append().events == [EventID(device: device, sequence: 4)])
    if !copyIsFirst { #expect(try box.writer("copy.jsonl").append().freshDevice == .otherFile) }
    #expect(try box.writer("copy.jsonl").append().freshDevice == nil)
    try expectNoIDTwice("ada.jsonl", "copy.jsonl")
  }

  @Test func `a copy of the journal alone writes under its own ID`() throws {
    try box.begin()
    try box.copy("ada.jsonl", to: "copy.jsonl")
    #expect(try box.writer("copy.jsonl").append().freshDevice == .noRecord)
    try box.writer().append()
    try expectNoIDTwice("ada.jsonl", "copy.jsonl")
  }

  @Test func `a copy restored over the same inode writes under a fresh ID`() throws {
    try box.begin()
    try box.copy("ada.jsonl", to: "backup.jsonl")
    try box.writer().append()
    try box.copy("ada.jsonl", to: "elsewhere.jsonl")
    try box.put(try box.bytes("backup.jsonl"))
    #expect(try box.writer().append().freshDevice == .lacksSyncedEvent)
    try expectNoIDTwice("ada.jsonl", "elsewhere.jsonl")
  }

  @Test func `journal and record restored together write under a fresh ID`() throws {
    try box.begin()
    try box.copy("ada.jsonl", to: "backup.jsonl")
    let record = try box.bytes("ada.eventlog/device.json")
    try box.writer().append()
    try box.copy("ada.jsonl", to: "elsewhere.jsonl")
    try box.remove("ada.jsonl")
    try box.rename("backup.jsonl", to: "ada.jsonl")
    try box.put(record, "ada.eventlog/device.json")
    #expect(try box.writer().append().freshDevice == .otherFile)
    try expectNoIDTwice("ada.jsonl", "elsewhere.jsonl")
  }

  @Test(arguments: 0...4)
  func `a journal cut at an earlier LF writes under a fresh ID`(kept: Int) throws {
    let writer = box.writer()
    try writer.append(4)
    try box.copy("ada.jsonl", to: "elsewhere.jsonl")
    try box.put(Array(Sandbox.lines(try box.bytes()).prefix(kept).joined()))
    // For an open and for a new writer. An empty commit doesn't make the record match.
    for writer in [writer, box.writer()] {
      for _ in 0..<2 {
        _ = try writer.commit { (batch) throws(EventLogError) in #expect(batch.device == nil) }
      }
    }
    #expect(try writer.append().freshDevice == .lacksSyncedEvent)
    try expectNoIDTwice("ada.jsonl", "elsewhere.jsonl")
  }

  @Test func `a journal whose synced event was replaced by another takes a fresh ID`() throws {
    let device = try box.begin(1)
    try box.copy("ada.jsonl", to: "elsewhere.jsonl")
    let first = Sandbox.lines(try box.bytes())[0]
    var other = HandmadeDevice(device, after: ForkedDevice.event(first.dropLast()))
    try box.put(first + other.write("note.added") + [0x0A])
    let writer = box.writer()
    for _ in 0..<2 {
      _ = try writer.commit { (batch) throws(EventLogError) in #expect(batch.device == nil) }
    }
    #expect(try writer.append().freshDevice == .otherEvent)
    #expect(try box.journal().verify().problems.map(\.code) == [.gap])
    #expect(try box.events().suffix(2).allSatisfy { $0.device != device })
  }

  @Test func `a clone on another machine writes under its own ID`() throws {
    let device = try box.begin()
    let lap = InstrumentedFileSystem(machineIdentity: "lap")
    try box.copy("ada.jsonl", to: "original.jsonl")
    let outcome = try box.writer(on: lap).append()
    #expect(outcome.freshDevice == .otherMachine)
    #expect(outcome.events[0].device != device)
    #expect(try box.writer(on: lap).append().freshDevice == nil)
    // Back on the first machine, the record names the other one.
    #expect(try box.writer().append().freshDevice == .otherMachine)
    try expectNoIDTwice("ada.jsonl")
  }

  @Test(arguments: [nil, "", "{}", "{\"device\":", "\0\0\0\0"])
  func `a missing or unreadable record causes one fresh ID`(content: String?) throws {
    let device = try box.begin()
    if let content {
      try box.put(Array(content.utf8), "ada.eventlog/device.json")
    } else {
      try box.remove("ada.eventlog/device.json")
    }
    let outcome = try box.writer().append()
    #expect(outcome.freshDevice == .noRecord)
    #expect(outcome.events[0].device != device)
    #expect(try box.writer().append().freshDevice == nil)
    try expectNoIDTwice("ada.jsonl")
  }

  @Test func `a record removed while the journal is open causes one fresh ID`() throws {
    let writer = box.writer()
    let device = try writer.append().events[0].device
    try box.remove("ada.eventlog/device.json")
    let outcome = try writer.append()
    #expect(outcome.events[0].device != device)
    #expect(try writer.append().events[0].device == outcome.events[0].device)
    try expectNoIDTwice("ada.jsonl")
  }

  @Test func `an open writer doesn't trust an older record`() throws {
    let writer = box.writer()
    try writer.append()
    let record = try box.bytes("ada.eventlog/device.json")
    try writer.append(3)
    try box.put(record, "ada.eventlog/device.json")
    try writer.append()
    try expectNoIDTwice("ada.jsonl")
  }

  // MARK: - Names of fresh devices

  /// The device name of the next append if no name is given.
  private func nextName(
    of journal: String = "ada.jsonl", on disk: (any FileSystem)? = nil
  ) throws -> String {
    var options = box.options(on: disk)
    options.deviceName = ""
    let writer = JournalWriter(
      path: box.folder.file(journal), options: options, sink: EventList())
    let id = try writer.append().events[0].device
    let name = try box.journal(journal).status().devices.first { $0.id == id }?.name ?? ""
    #expect(id.base == DeviceID.fresh(name: name, suffix: "aaaaaaaa").base)
    return name
  }

  @Test func `a journal keeps its device name after damage`() throws {
    let device = try box.begin()
    try box.put(try box.bytes().dropLast(10))
    #expect(try nextName() == "phone")
    #expect(try box.events().last?.device != device)
    // Only the ID in the record remains.
    try box.put([])
    #expect(try nextName() == "phone")
  }

  @Test func `a restored journal keeps the exact device name that was given`() throws {
    var options = box.options()
    options.deviceName = "Ada\u{2019}s iPhone"
    let writer = JournalWriter(path: box.path, options: options, sink: EventList())
    #expect(try writer.append().events[0].device.base == "Ada-s-iPhone")
    try box.copy("ada.jsonl", to: "backup.jsonl")
    try box.rename("backup.jsonl", to: "ada.jsonl")
    #expect(try nextName() == options.deviceName)
  }

  @Test func `a copy takes the host name unless a name is given`() throws {
    try box.begin()
    try box.copy("ada.jsonl", to: "copy.jsonl")
    #expect(try nextName(of: "copy.jsonl") == HostName.current)
    let lap = InstrumentedFileSystem(machineIdentity: "lap")
    #expect(try nextName(on: lap) == HostName.current)
    // With a given name.
    #expect(try box.writer().append().events[0].device.base == "phone")
  }

  @Test func `a restored journal takes the host name if machines have no ID`() throws {
    let disk = NoMachine()
    try box.writer(on: disk).append()
    try box.copy("ada.jsonl", to: "backup.jsonl")
    try box.rename("backup.jsonl", to: "ada.jsonl")
    #expect(try nextName(on: disk) == HostName.current)
  }

  // MARK: - Kept IDs

  @Test func `a renamed journal keeps its ID with or without its side folder`() throws {
    let device = try box.begin()
    try box.rename("ada.jsonl", to: "a.jsonl")
    try box.rename("ada.eventlog", to: "a.eventlog")
    #expect(try box.writer("a.jsonl").append().events[0].device == device)
    try box.rename("a.jsonl", to: "b.jsonl")
    #expect(try box.writer("b.jsonl").append().events[0].device == device)
    #expect(box.exists("b.eventlog/device.json"))
    #expect(!box.exists("a.eventlog"))
    try expectNoIDTwice("b.jsonl")
  }

  @Test func `a copy doesn't take over the side folder of an existing journal`() throws {
    let device = try box.begin()
    try box.copy("ada.jsonl", to: "b.jsonl")
    #expect(try box.writer("b.jsonl").append().events[0].device != device)
    #expect(try box.writer().append().events[0].device == device)
    try expectNoIDTwice("ada.jsonl", "b.jsonl")
  }

  @Test func `a reopened journal keeps its ID`() throws {
    let device = try box.begin()
    for _ in 0..<5 { #expect(try box.writer().append().events[0].device == device) }
    try expectNoIDTwice("ada.jsonl")
  }
}

/// A file system without a machine ID.
private final class NoMachine: PassingFileSystem {
  let base = SystemFileSystem()
  func machineIdentity() -> String? { nil }
}
