import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Syncs don't hang with remotes that are pipes or devices, stay locked, or list endlessly.
@Suite struct BadRemoteTests {
  private let folder: TemporaryFolder
  private let phone: TemporaryStore

  init() async throws {
    folder = try TemporaryFolder()
    phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
  }

  /// Creates a pipe, which yields nothing, or a link to a device that yields endless bytes.
  private func makeEndless(_ path: String, _ isPipe: Bool) throws {
    if isPipe {
      try #require(mkfifo(path, 0o600) == 0)
    } else {
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/dev/zero")
    }
  }

  private func failure(_ remote: any Remote) async throws -> EventLogError {
    let lines = try phone.lines()
    let error = await #expect(throws: EventLogError.self) { try await phone.sync(with: remote) }
    #expect(try phone.lines() == lines)
    return try #require(error)
  }

  // MARK: - Instead of a journal

  @Test(arguments: [true, false])
  func `a pipe or a device is refused as a journal`(isPipe: Bool) async throws {
    let path = folder.file("far.jsonl")
    try makeEndless(path, isPipe)
    let error = try await failure(JournalRemote(path: path))
    #expect(error.code == .inputOutput && error.message.contains("it is a device or a pipe"))
  }

  @Test(arguments: ["device.json", "cache/checkpoint-00000000"])
  func `a pipe or a device in a side folder is ignored`(name: String) async throws {
    for isPipe in [true, false] {
      let other = try TemporaryFolder()
      let path = other.file("far.jsonl")
      try await phone.sync(with: JournalRemote(path: path))
      let file = other.file("far.eventlog/\(name)")
      let inner = URL(fileURLWithPath: file).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      try? FileManager.default.removeItem(atPath: file)
      try makeEndless(file, isPipe)
      _ = try await phone.create(Meal.self)
      #expect(try await phone.sync(with: JournalRemote(path: path)).pushedCount == 1)
    }
  }

  @Test func `a sync with a journal whose lock stays held ends with an error`() async throws {
    let path = folder.file("far.jsonl")
    try await phone.sync(with: JournalRemote(path: path))
    let disk = SystemFileSystem()
    let file = try disk.open(path, .readWrite)
    defer { disk.close(file) }
    #expect(try disk.tryLock(file, exclusive: true))
    var options = JournalOptions()
    options.lockWaitMilliseconds = 20
    let error = try await failure(JournalRemote(path: path, options: options))
    #expect(error.code == .locked)
  }

  @Test func `lines of a later version are received unchanged`() async throws {
    let path = folder.file("far.jsonl")
    var far = HandmadeDevice("far-aaaaaaaa")
    let lines = [far.join(user: "ada"), far.respelled(#"{"id":"far-aaaaaaaa:2","new":[1],"v":2"#)]
    try disk(path, lines.flatMap { $0 + [0x0A] })
    let report = try await phone.sync(with: JournalRemote(path: path), .pull)
    #expect(report.pulledCount == 2 && report.refused.isEmpty)
    #expect(try phone.lines().contains(String(decoding: lines[1], as: UTF8.self)))
    #expect(try phone.journal.verify().problems.allSatisfy { !$0.isDamage })
  }

  private func disk(_ path: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  // MARK: - In a folder

  @Test(arguments: [true, false])
  func `a pipe or a device in a shared folder is ignored`(isPipe: Bool) async throws {
    let shared = FolderRemote(path: folder.file("Shared"))
    try await phone.sync(with: shared)
    for name in [
      "zz_1-3_0011223344556677.jsonl", "zz_frontier_1_00112233.json", "notes.txt",
      "phone-zzzzzzzz_1-1_0011223344556677.jsonl",
    ] {
      try makeEndless(folder.file("Shared/\(name)"), isPipe)
    }
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self)
    #expect(try await tablet.sync(with: shared).pulledCount == 2)
    #expect(try await phone.sync(with: shared).refused.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a remote with an endless listing ends the sync with an error`(getsOn: Bool) async throws {
    let storage = BottomlessStorage { after in
      let number = after.flatMap { getsOn ? Int($0.dropFirst(6)) : nil } ?? 1_000_000
      return (1...5000).map { StoredObject(name: "notes-\(number + $0)", byteCount: 1) }
    }
    let error = try await failure(ObjectRemote(storage))
    #expect(error.code == .remoteFailed)
    #expect(error.message.contains("contains more objects than allowed"))
  }

  @Test
  func `a remote with more frontiers than allowed ends the sync with an error`() async throws {
    let storage = BottomlessStorage { after in
      guard after == nil else { return [] }
      return (1...9).map { number in
        let name = FrontierName(DeviceID("writer-\(number)")!, 1, content: [])
        return StoredObject(name: name.text, byteCount: 60 << 20)
      }
    }
    let error = try await failure(ObjectRemote(storage))
    #expect(error.message.contains("contains more frontiers than allowed"))
  }

  /// The file becomes a pipe between the listing and the reading.
  @Test func `a sync doesn't wait for a file that has become a pipe`() async throws {
    let path = folder.file("Shared")
    try await phone.sync(with: FolderRemote(path: path))
    let storage = FolderStorage(path: path)
    let name = try #require(try await storage.list(after: nil).first?.name)
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try makeEndless("\(path)/\(name)", true)
    #expect(try await storage.read(name) == nil)
  }

  @Test func `a frontier of a later version is reported and not relied on`() async throws {
    let bucket = HandmadeBucket()
    var good = HandmadeDevice("good-aaaaaaaa")
    try await bucket.give([good.join(user: "ada"), good.event()])
    var later = HandmadeDevice("later-aaaaaaa")
    let other = HandmadeBucket()
    try await other.give([later.join(user: "ada"), later.event()], by: "later")
    for (name, bytes) in other.storage.objects {
      guard FrontierName(name) != nil else {
        bucket.storage.objects[name] = bytes
        continue
      }
      let text = String(decoding: bytes, as: UTF8.self)
        .replacing(#""version":1"#, with: #""version":2"#)
      let content = Array(text.utf8)
      bucket.storage.objects[FrontierName(later.id, 1, content: content).text] = content
    }
    for isDryRun in [true, false] {
      let report =
        try await isDryRun
        ? phone.store.dryRunSync(with: bucket.remote, .pull)
        : phone.store.sync(with: bucket.remote, .pull)
      // Ranges are valid without a frontier.
      #expect(report.pulledCount == 4 && report.pending.isEmpty)
      #expect(report.notices.count == 1)
      #expect(report.notices.first?.contains("was written by a later version of eventlog") == true)
    }
  }
}

/// A storage that lists the given objects and contains none of them.
private struct BottomlessStorage: ObjectStorage {
  let address = "far"
  let page: @Sendable (String?) -> [StoredObject]

  init(_ page: @escaping @Sendable (String?) -> [StoredObject]) { self.page = page }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool { false }
  func list(after name: String?) async throws(EventLogError) -> [StoredObject] { page(name) }
  func read(_ name: String) async throws(EventLogError) -> [UInt8]? { nil }
  func remove(_ name: String) async throws(EventLogError) {}
}
