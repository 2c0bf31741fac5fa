import EventLog
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogCrashReports

/// The journal of crash reports: users, consent, limits, and syncing.
@Suite struct JournalTests {
  private static let start: Int64 = 1_790_000_000_000

  private func options(_ day: Int64 = 0) -> JournalOptions {
    JournalOptions(
      clock: .fixed(Self.start + day * 86_400_000), random: .seeded(UInt64(day) + 1),
      deviceName: "wilhelmina's phone")
  }

  /// Writes a raw file with a crash at an hour.
  private func write(_ name: String, hour: Int64 = 497_000, in folder: String) throws {
    let raw = folder + "/Raw"
    try FileManager.default.createDirectory(atPath: raw, withIntermediateDirectories: true)
    let bytes = RawFixture(session: UInt64(bitPattern: Int64(name.hashValue)), hour: hour).bytes
    try Data(bytes).write(to: URL(fileURLWithPath: "\(raw)/\(name).crash"))
  }

  @Test func `a journal has a random user and the device name crash`() async throws {
    let folder = try TemporaryFolder()
    try write("one", in: folder.file("crashes"))
    let journal = try await CrashJournal.open(in: folder.file("crashes"), options: options())
    #expect(try await journal.takeIn().reports.count == 1)
    try await journal.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("crashes"))
    let file = try #require(names.first { $0.hasSuffix(".jsonl") })
    let text = try String(contentsOfFile: folder.file("crashes/\(file)"), encoding: .utf8)
    #expect(text.contains(#""user":"crash-"#) && !text.contains("wilhelmina"))
    #expect(text.contains(#"{"id":"crash-"#))
    // The times of events are cut to the hour as well.
    let times = text.components(separatedBy: #""at":""#).dropFirst().map { $0.prefix(24) }
    #expect(times.count == 2 && times.allSatisfy { $0.hasSuffix(":00:00.000Z") })
  }

  @Test func `a new user begins after 90 days, and the old journal goes once it is uploaded`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    let shared = folder.file("Shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    @Sendable func place(_ user: String) -> any Remote { FolderRemote(path: "\(shared)/\(user)") }
    for (day, name) in [(0, "one"), (89, "two"), (90, "three")] {
      try write(name, hour: 497_000 + Int64(day), in: path)
      let journal = try await CrashJournal.open(in: path, options: options(Int64(day)))
      try await journal.takeIn()
      #expect(await journal.reports.count == [0: 1, 89: 2, 90: 3][day])
      #expect(await journal.state.entries.count == (day < 90 ? 1 : 2))
      try await journal.close()
    }
    let journal = try await CrashJournal.open(in: path, options: options(91))
    try await journal.setConsent(.given, for: .person)
    #expect(try await journal.sync(with: place) == 3)
    let places = try FileManager.default.contentsOfDirectory(atPath: shared)
    #expect(places.count == 2 && places.allSatisfy(CrashJournalState.isUser))
    try await journal.takeIn()
    #expect(await journal.state.entries.count == 1)
    #expect(await journal.reports.count == 1)
    try await journal.close()
  }

  @Test func `nothing is sent without consent, and reports are uploaded once after it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    let report = try #require(try await journal.takeIn().reports.first)
    let shared = folder.file("Shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    @Sendable func place(_ user: String) -> any Remote { FolderRemote(path: "\(shared)/\(user)") }
    for consent in [Consent.undecided, .refused] {
      try await journal.setConsent(consent, for: .person)
      await #expect(throws: EventLogError.self) { try await journal.sync(with: place) }
      await #expect(throws: EventLogError.self) { try await journal.replicate(with: place) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared) == [])
    #expect(try await journal.status(of: report.id, for: .person) == .pending)
    try await journal.setConsent(.given, for: .person)
    #expect(try await journal.sync(with: place) == 1)
    #expect(try await journal.status(of: report.id, for: .person) == .uploaded)
    #expect(try await journal.sync(with: place) == 0)
    #expect(try await journal.status(of: "unknown", for: .person) == nil)
    try await journal.close()
    let again = try await CrashJournal.open(in: path, options: options())
    #expect(await again.consent(for: .person) == .given)
    #expect(try await again.status(of: report.id, for: .person) == .uploaded)
    try await again.close()
  }

  @Test func `a storage to which apps only add gets each report once`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for index in 0..<3 { try write("file\(index)", hour: 497_000 + Int64(index), in: path) }
    let journal = try await CrashJournal.open(in: path, options: options())
    let reports = try await journal.takeIn().reports
    let memory = MemoryStorage()
    let storage = AddOnlyStorage(memory)
    await #expect(throws: EventLogError.self) { try await journal.upload(to: storage) }
    #expect(memory.names.isEmpty)
    try await journal.setConsent(.given, for: .developer)
    memory.failCall(after: 1)
    await #expect(throws: EventLogError.self) { try await journal.upload(to: storage) }
    memory.stopFailing()
    // The second put had succeeded, but its answer was lost.
    let second = await journal.reports[1]
    memory.objects["\(second.id).json"] = CrashReportFile.bytes(of: [second])
    #expect(try await journal.upload(to: storage) == 2)
    #expect(try await journal.upload(to: storage) == 0)
    #expect(memory.names == reports.map { "\($0.id).json" }.sorted())
    for (name, bytes) in memory.objects {
      #expect(CrashReportFile.isReport(name))
      let read = try #require(try CrashReportFile.reports(in: bytes, at: name))
      #expect(read.count == 1 && reports.contains(read[0]))
    }
    for report in reports {
      #expect(try await journal.status(of: report.id, for: .developer) == .uploaded)
      #expect(try await journal.status(of: report.id, for: .person) == .pending)
    }
    try await journal.close()
  }

  @Test func `a consent and an upload for one recipient say nothing of the other`() async throws {
    let folder = try TemporaryFolder()
    let (path, shared) = (folder.file("crashes"), folder.file("Shared"))
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    @Sendable func place(_ user: String) -> any Remote { FolderRemote(path: "\(shared)/\(user)") }
    for first in CrashRecipient.allCases {
      try write(first.rawValue, hour: first == .person ? 497_000 : 497_001, in: path)
    }
    let journal = try await CrashJournal.open(in: path, options: options())
    let reports = try await journal.takeIn().reports
    let storage = MemoryStorage()
    try await journal.setConsent(.given, for: .developer)
    await #expect(throws: EventLogError.self) { try await journal.sync(with: place) }
    #expect(try await journal.upload(to: storage) == 2)
    try await journal.setConsent(.given, for: .person)
    #expect(try await journal.status(of: reports[0].id, for: .person) == .pending)
    #expect(try await journal.sync(with: place) == 2)
    try await journal.setConsent(.refused, for: .developer)
    #expect(await journal.consent(for: .person) == .given)
    await #expect(throws: EventLogError.self) { try await journal.upload(to: storage) }
    try await journal.close()
    let again = try await CrashJournal.open(in: path, options: options())
    #expect(await again.consent(for: .developer) == .refused)
    for recipient in CrashRecipient.allCases {
      #expect(try await again.status(of: reports[1].id, for: recipient) == .uploaded)
    }
    try await again.close()
  }

  @Test func `a journal that the person's place lacks stays, although the developer has it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    try await journal.takeIn()
    for recipient in CrashRecipient.allCases {
      try await journal.setConsent(.given, for: recipient)
    }
    #expect(try await journal.upload(to: MemoryStorage()) == 1)
    try await journal.close()
    try write("two", hour: 500_000, in: path)
    let later = try await CrashJournal.open(in: path, options: options(91))
    try await later.takeIn()
    #expect(await later.reports.count == 2)
    try await later.close()
  }

  @Test func `the state of an earlier version keeps the choice, and uploads again`() async throws {
    let state = #"{"version":1,"consent":"given","journals":[],"uploaded":["a"]}"#
    let read = try CrashJournalState(Array(state.utf8), at: "crashes.json")
    for recipient in CrashRecipient.allCases {
      #expect(read.consents[recipient] == .given && !read.has(recipient, "a"))
    }
    #expect(try CrashJournalState(read.bytes, at: "crashes.json").consents == read.consents)
    for text in [#""uploaded":{"person":[]}"#, #""uploaded":[]"#] {
      let damaged = #"{"version":2,"consent":{"person":"given"},"journals":[],\#(text)}"#
      #expect(throws: EventLogError.self) {
        try CrashJournalState(Array(damaged.utf8), at: "crashes.json")
      }
    }
  }

  @Test func `a replicator uploads reports once its place can be reached`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    let shared = folder.file("Shared")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    let report = try #require(try await journal.takeIn().reports.first)
    try await journal.setConsent(.given, for: .person)
    try await journal.replicate(
      with: { FolderRemote(path: "\(shared)/\($0)") },
      ReplicationSchedule(
        delay: .milliseconds(1), interval: .milliseconds(20), retryMin: .milliseconds(1),
        retryMax: .milliseconds(20)))
    #expect(try await journal.status(of: report.id, for: .person) == .pending)
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    while try await journal.status(of: report.id, for: .person) != .uploaded {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await journal.setConsent(.refused, for: .person)
    #expect(await journal.places.isEmpty)
    try await journal.close()
  }

  @Test func `at most 20 reports are kept, and a note counts those that were not uploaded`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for index in 0..<23 { try write("file\(index)", hour: 497_000 + Int64(index), in: path) }
    let journal = try await CrashJournal.open(in: path, options: options())
    let intake = try await journal.takeIn()
    #expect(intake.reports.count == 23)
    #expect(intake.notes.count == 1 && intake.notes[0].hasPrefix("The 3 oldest reports"))
    let reports = await journal.reports
    #expect(reports.count == 20)
    #expect(reports.map(\.hour).min() == Timestamp(milliseconds: 497_003 * 3_600_000))
    try await journal.close()
  }

  @Test func `a file that was appended but not removed is not taken in again`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let raw = path + "/Raw/one.crash"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
    let journal = try await CrashJournal.open(in: path, options: options())
    #expect(try await journal.takeIn().reports.count == 1)
    for day in [Int64(0), 90] {
      // Also after the user has changed.
      try await journal.close()
      try bytes.write(to: URL(fileURLWithPath: raw))
      let again = try await CrashJournal.open(in: path, options: options(day))
      #expect(try await again.takeIn().reports == [])
      #expect(await again.reports.count == 1)
      try await again.close()
    }
    #expect(!FileManager.default.fileExists(atPath: raw))
  }

  @Test func `a torn or foreign file is set aside with a note`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("torn", in: path)
    try write("foreign", in: path)
    try write("partly", in: path)
    func change(_ name: String, _ body: (inout Data) -> Void) throws {
      let url = URL(fileURLWithPath: "\(path)/Raw/\(name).crash")
      var data = try Data(contentsOf: url)
      body(&data)
      try data.write(to: url)
    }
    try Data(count: 5 << 20).write(to: URL(fileURLWithPath: path + "/Raw/large.crash"))
    try FileManager.default.createDirectory(
      atPath: path + "/Raw/torn.old.crash", withIntermediateDirectories: false)
    try change("torn") { $0[100] ^= 1 }
    try change("foreign") { $0 = Data("{\"user\":\"ada\"}".utf8) }
    // The block of the crash with frames; the one without is whole.
    try change("partly") { $0[RawLayout.done * RawLayout.blockBytes + 80] ^= 1 }
    let journal = try await CrashJournal.open(in: path, options: options())
    let intake = try await journal.takeIn()
    #expect(intake.reports.count == 1 && intake.reports[0].frames.isEmpty)
    #expect(intake.notes.count == 5)
    let names = try FileManager.default.contentsOfDirectory(atPath: path + "/Raw").sorted()
    #expect(names == ["foreign.bad", "large.bad", "torn-2.bad", "torn.bad"])
    #expect(try await journal.takeIn() == CrashIntake())
    try await journal.close()
  }

  @Test func `a file that is no recording never keeps others from being taken in`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let (raw, other) = (path + "/Raw", folder.file("diary"))
    try Data(RawFixture(session: 3).bytes).write(to: URL(fileURLWithPath: other))
    let manager = FileManager.default
    let long = String(repeating: "n", count: 249)
    for (name, target) in [("a", other), ("b", folder.file("nowhere")), ("c", "c.crash")] {
      try manager.createSymbolicLink(atPath: "\(raw)/\(name).crash", withDestinationPath: target)
    }
    #expect(mkfifo("\(raw)/d.crash", 0o600) == 0)
    for name in [long, "e\u{1B}[31m\n", "f.-1", "g.99999999999999999999", "h h"] {
      try Data("torn".utf8).write(to: URL(fileURLWithPath: "\(raw)/\(name).crash"))
    }
    let journal = try await CrashJournal.open(in: path, options: options())
    let intake = try await journal.takeIn()
    #expect(intake.reports.count == 1 && intake.notes.count == 9)
    #expect(intake.notes.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    let names = try manager.contentsOfDirectory(atPath: raw).sorted()
    #expect(
      names == [
        "a.bad", "b.bad", "c.bad", "d.bad", "f.bad", "file-2.bad", "file-3.bad",
        "file.bad", "g.bad",
      ])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: other)).count == RawFixture(session: 3).bytes.count)
    #expect(try await journal.takeIn() == CrashIntake())
    try await journal.close()
  }

  @Test func `at most 20 files are kept aside`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try FileManager.default.createDirectory(
      atPath: path + "/Raw", withIntermediateDirectories: true)
    for index in 0..<23 {
      try Data("torn".utf8).write(to: URL(fileURLWithPath: "\(path)/Raw/file\(index).crash"))
    }
    let journal = try await CrashJournal.open(in: path, options: options())
    let notes = try await journal.takeIn().notes
    #expect(notes.count == 23 && notes.count { $0.contains("was removed, because 20") } == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/Raw").count == 20)
    try await journal.close()
  }

  @Test func `folders, pipes and links beyond 20 files aside aren't kept either`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    let (raw, manager) = (path + "/Raw", FileManager.default)
    try manager.createDirectory(atPath: raw, withIntermediateDirectories: true)
    for index in 0..<20 {
      try Data("torn".utf8).write(to: URL(fileURLWithPath: "\(raw)/kept\(index).bad"))
    }
    try manager.createDirectory(atPath: raw + "/empty.crash", withIntermediateDirectories: false)
    try manager.createDirectory(atPath: raw + "/full.crash/in", withIntermediateDirectories: true)
    #expect(mkfifo(raw + "/pipe.crash", 0o600) == 0)
    try manager.createSymbolicLink(
      atPath: raw + "/link.crash", withDestinationPath: folder.file("nowhere"))
    let journal = try await CrashJournal.open(in: path, options: options())
    let notes = try await journal.takeIn().notes
    #expect(notes.count { $0.contains("was removed, because 20") } == 3)
    #expect(notes.count { $0.contains("stays there, because 20") } == 1 && notes.count == 4)
    let names = try manager.contentsOfDirectory(atPath: raw)
    #expect(names.count == 21 && names.contains("full.crash"))
    try await journal.close()
  }

  @Test func `files that can't be read don't stop recording, up to a limit`() throws {
    let folder = try TemporaryFolder()
    let raw = RawFolder(path: folder.file("Raw"), fileSystem: SystemFileSystem())
    try FileManager.default.createDirectory(
      atPath: raw.path, withIntermediateDirectories: true)
    // A folder can't be read, even by root.
    for index in 0..<39 {
      #expect(try raw.fileForRecording() != nil)
      try FileManager.default.createDirectory(
        atPath: raw.file("file\(index).crash"), withIntermediateDirectories: false)
    }
    #expect(try raw.fileForRecording() != nil)
    for index in 0..<20 {
      try Data(RawFixture(session: UInt64(index)).bytes)
        .write(to: URL(fileURLWithPath: raw.file("one\(index).crash")))
    }
    #expect(try raw.fileForRecording() == nil)
    for index in 0..<39 {
      try FileManager.default.removeItem(atPath: raw.file("file\(index).crash"))
    }
    // Twenty recordings are enough.
    #expect(try raw.fileForRecording() == nil && raw.omittedStarts == 2)
  }

  @Test func `a recording replaces no other one whose attempts are counted`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for (hour, name) in ["one", "one.1", "one.2"].enumerated() {
      try write(name, hour: 497_000 + Int64(hour), in: path)
    }
    let raw = RawFolder(path: path + "/Raw", fileSystem: SystemFileSystem())
    guard case .read(_, let name) = try raw.begin("one.crash") else {
      Issue.record("It isn't read.")
      return
    }
    #expect(name == "one.3.crash")
    #expect(try raw.names().raw.count == 3)
  }

  @Test func `two calls at once take each recording in once`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for index in 0..<10 { try write("file\(index)", hour: 497_000 + Int64(index), in: path) }
    let journal = try await CrashJournal.open(in: path, options: options())
    let calls = (0..<2).map { _ in Task { try await journal.takeIn() } }
    let intakes = try await [calls[0].value, calls[1].value]
    #expect(intakes.flatMap(\.notes) == [])
    #expect(Set(intakes.flatMap(\.reports).map(\.id)).count == 10)
    #expect(intakes.flatMap(\.reports).count == 10)
    #expect(await journal.reports.count == 10)
    try await journal.close()
  }

  @Test func `calls at once rename and set aside each file once`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for index in 0..<10 {
      try write("file\(index)", hour: 497_000 + Int64(index), in: path)
      try Data("torn".utf8).write(to: URL(fileURLWithPath: "\(path)/Raw/torn\(index).crash"))
    }
    let journal = try await CrashJournal.open(in: path, options: options())
    let calls = (0..<4).map { _ in Task { try await journal.takeIn() } }
    var intakes: [CrashIntake] = []
    for call in calls { intakes.append(try await call.value) }
    #expect(intakes.flatMap(\.reports).count == 10)
    #expect(intakes.flatMap(\.notes).count { $0.contains("is kept as torn") } == 10)
    // One call has taken in everything.
    #expect(intakes.count { $0 == CrashIntake() } == 3)
    try await journal.close()
  }

  @Test func `a canceled call ends, and others go on`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for index in 0..<10 { try write("file\(index)", hour: 497_000 + Int64(index), in: path) }
    let journal = try await CrashJournal.open(in: path, options: options())
    let calls = (0..<4).map { _ in Task { try await journal.takeIn() } }
    calls[1].cancel()
    calls[2].cancel()
    var count = 0
    for call in calls {
      do throws(any Error) { count += try await call.value.reports.count } catch {
        #expect((error as? EventLogError)?.code == .canceled)
      }
    }
    count += try await journal.takeIn().reports.count
    #expect(count == 10)
    #expect(await journal.reports.count == 10)
    try await journal.close()
  }

  @Test func `removing a journal leaves what a link in its folder leads to`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    try await journal.takeIn()
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder.file("diary"), withIntermediateDirectories: true)
    try Data("dear diary".utf8).write(to: URL(fileURLWithPath: folder.file("diary/page")))
    let user = try #require(await journal.state.entries.first)
    let side = SideFolder(
      beside: path + "/" + user.file, fileSystem: SystemFileSystem()
    ).path
    try manager.createDirectory(atPath: side + "/inner", withIntermediateDirectories: true)
    try manager.createSymbolicLink(
      atPath: side + "/inner/link", withDestinationPath: folder.file("diary"))
    try await journal.removeAll()
    #expect(!manager.fileExists(atPath: side))
    #expect(manager.fileExists(atPath: folder.file("diary/page")))
    try await journal.close()
  }

  @Test func `a file that fails three times is set aside`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let raw = RawFolder(path: path + "/Raw", fileSystem: SystemFileSystem())
    for _ in 0..<3 {
      // As if the process ended while it took the file in.
      guard case .read = try raw.begin(try raw.names().raw[0]) else {
        Issue.record("It isn't read.")
        return
      }
    }
    let journal = try await CrashJournal.open(in: path, options: options())
    let intake = try await journal.takeIn()
    #expect(intake.reports == [] && intake.notes.count == 1)
    try await journal.close()
  }

  @Test func `a folder is open once at a time`() async throws {
    let folder = try TemporaryFolder()
    let journal = try await CrashJournal.open(in: folder.file("crashes"), options: options())
    await #expect(throws: EventLogError.self) {
      try await CrashJournal.open(in: folder.file("crashes"), options: options())
    }
    try await journal.close()
    try await CrashJournal.open(in: folder.file("crashes"), options: options()).close()
  }

  @Test func `removing all reports leaves no byte of them`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    try await journal.takeIn()
    try await journal.removeAll()
    #expect(await journal.reports == [])
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    #expect(names == ["Raw", "crashes.json", "crashes.lock"])
    try write("two", in: path)
    #expect(try await journal.takeIn().reports.count == 1)
    try await journal.close()
  }

  @Test func `a lost state keeps the reports and asks for consent again`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try write("one", in: path)
    let journal = try await CrashJournal.open(in: path, options: options())
    try await journal.takeIn()
    try await journal.setConsent(.given, for: .person)
    try await journal.close()
    let state = URL(fileURLWithPath: path + "/crashes.json")
    try Data("{}".utf8).write(to: state)
    await #expect(throws: EventLogError.self) {
      try await CrashJournal.open(in: path, options: options())
    }
    try FileManager.default.removeItem(at: state)
    let again = try await CrashJournal.open(in: path, options: options())
    #expect(await again.reports.count == 1)
    #expect(await again.consent(for: .person) == .undecided)
    try await again.close()
  }
}

/// A storage that refuses everything but new objects.
private struct AddOnlyStorage: ObjectStorage {
  let base: MemoryStorage
  var address: String { base.address }

  init(_ base: MemoryStorage) { self.base = base }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    throw EventLogError(remoteFailed: "Listing isn't allowed.")
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    throw EventLogError(remoteFailed: "Reading isn't allowed.")
  }

  func remove(_ name: String) async throws(EventLogError) {
    throw EventLogError(remoteFailed: "Removing isn't allowed.")
  }
}
