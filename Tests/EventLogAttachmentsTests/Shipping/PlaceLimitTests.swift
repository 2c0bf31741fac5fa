import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogAttachments

/// Places that are full, or that take only small contents.
@Suite struct PlaceLimitTests {
  private func device(_ name: String = "phone") async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Entry.self)
  }

  private func add(_ count: Int, to device: TemporaryStore) async throws -> Attachment {
    let photo = try await device.store.attach(noise(count), type: "a/b")
    _ = try await device.store.create(Entry.self) { $0.photo = photo }
    return photo
  }

  @Test func `a content that a place doesn't take is refused when it is attached`() async throws {
    let (phone, cloud) = (try await device(), MemoryStorage(contentBytesMax: 1000))
    let remotes: [any Remote] = [ObjectRemote(MemoryStorage()), ObjectRemote(cloud)]
    _ = try await phone.store.attach(noise(1000), type: "a/b", for: remotes)
    let error = await #expect(throws: EventLogError.self) {
      try await phone.store.attach(noise(1001), type: "a/b", name: "a.mov", for: remotes)
    }
    #expect(error?.code == .invalidInput)
    #expect(
      error?.message
        == "\"a.mov\" has 1001 bytes, and \"memory\" takes attachments of at most 1000."
        + " Nothing was attached.")
    let path = phone.folder.file("big.bin")
    try SystemFileSystem().replaceFile(at: path, with: noise(2000))
    await #expect(throws: EventLogError.self) {
      try await phone.store.attach(fileAt: path, for: remotes)
    }
    #expect(try phone.store.attachmentFolder.contents().count == 1)
  }

  @Test func `contents that are too large for a place are one problem of its sync`() async throws {
    let (phone, cloud) = (try await device(), MemoryStorage(contentBytesMax: 1000))
    for count in [1001, 2000] { _ = try await add(count, to: phone) }
    let small = try await add(1000, to: phone)
    let copies = Attachments(of: phone.store, at: [ObjectRemote(cloud)])
    let report = try #require(await copies.sync().first)
    #expect(report.sent == [small] && report.error == nil && report.problems.count == 1)
    #expect(report.problems[0].message.contains("2 attachments that are larger"))
  }

  @Test func `a full place fails once, and still delivers what it has`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    let cloud = MemoryStorage(partBytes: 1000)
    let remotes: [any Remote] = [ObjectRemote(cloud)]
    let photo = try await add(500, to: phone)
    _ = try await phone.store.sync(with: remotes[0])
    await Attachments(of: phone.store, at: remotes).sync()
    _ = try await tablet.store.sync(with: remotes[0])
    for count in 600..<610 { _ = try await add(count, to: tablet) }
    let place = cloud.nested("attachments")
    place.fill()
    let calls = place.callCount
    let report = try #require(await Attachments(of: tablet.store, at: remotes).sync().first)
    #expect(report.error?.code == .quotaExceeded && report.problems.isEmpty)
    #expect(report.received == [photo] && report.sent.isEmpty)
    // A listing in two calls, a refused part, and a part that is read.
    #expect(place.callCount == calls + 4)
    place.stopFailing()
    #expect(await Attachments(of: tablet.store, at: remotes).sync().first?.sent.count == 10)
  }

  @Test(arguments: [Errno.noSpace, .quotaExceeded, .permissionDenied, .readOnlyFileSystem])
  func `a folder that can't be written to fails once`(error: Errno) async throws {
    let phone = try await device()
    for count in 600..<610 { _ = try await add(count, to: phone) }
    let disk = InstrumentedFileSystem(SystemFileSystem())
    var options = JournalOptions()
    options.fileSystem = disk
    let remote = FolderRemote(path: phone.folder.file("Shared"), options: options)
    let copies = Attachments(of: phone.store, at: [remote])
    disk.failNext(.makeFolder, with: error, times: 100)
    let report = try #require(await copies.sync().first)
    disk.stopFailing()
    #expect(report.error?.code == .inputOutput && report.problems.isEmpty && report.sent.isEmpty)
  }
}
