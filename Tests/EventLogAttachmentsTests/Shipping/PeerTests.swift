import EventLog
import EventLogPipe
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogAttachments

/// Attachments beside a journal at the other end of a pipe.
@Suite struct PeerTests {
  private let desk: TemporaryFolder

  init() throws { desk = try TemporaryFolder() }

  private var path: String { desk.file("desk.jsonl") }
  private var there: AttachmentFolder { AttachmentFolder(beside: path) }

  private func remote(
    cutAfter count: Int? = nil, on disk: InstrumentedFileSystem? = nil
  ) -> PipeRemote {
    let path = path
    return PipeRemote(servingInMemory: path, cutAfter: count) { options in
      var options = options
      if let disk { options.fileSystem = disk }
      return JournalContents(beside: path, options: options)
    }
  }

  private func device(_ name: String = "phone") async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Entry.self)
  }

  private func add(_ count: Int, _ seed: UInt64 = 1, to device: TemporaryStore) async throws
    -> Attachment
  {
    let photo = try await device.store.attach(
      Array(noise(count, seed).prefix(count)), type: "a/b")
    _ = try await device.store.create(Entry.self) { $0.photo = photo }
    return photo
  }

  private func attachments(_ device: TemporaryStore, _ remote: PipeRemote) -> Attachments {
    Attachments(of: device.store, at: [remote])
  }

  private static let part = 1 << 20

  @Test(arguments: [0, 1, part - 1, part, part + 1, 3 * part + 5])
  func `a content of any size reaches another device through a journal`(count: Int) async throws {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    let photo = try await add(count, to: phone)
    _ = try await phone.store.sync(with: remote())
    let sending = attachments(phone, remote())
    #expect(sending.remotesWithout.isEmpty)
    let sent = try #require(await sending.sync().first)
    #expect(sent.error == nil && sent.sent == (count == 0 ? [] : [photo]))
    if count > 0 { #expect(try there.content(of: photo) == noise(count)) }
    #expect(await attachments(phone, remote()).sync().map(\.sent) == [[]])
    _ = try await tablet.store.sync(with: remote())
    let copies = attachments(tablet, remote())
    if count > 0 { #expect(copies.availability(of: photo) == .unknown) }
    let report = try #require(await copies.sync().first)
    #expect(report.received == [photo] && report.error == nil)
    #expect(try await copies.content(of: photo) == Array(noise(count).prefix(count)))
  }

  @Test func `a content is fetched when it is asked for`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    let photo = try await add(1500, to: phone)
    _ = try await phone.store.sync(with: remote())
    _ = try await tablet.store.sync(with: remote())
    let copies = Attachments(
      of: tablet.store, at: [remote()], options: .init(fetching: .onDemand))
    await #expect(throws: EventLogError.self) { _ = try await copies.content(of: photo) }
    #expect(try tablet.store.attachmentFolder.contents().isEmpty)
    await copies.sync()
    #expect(copies.availability(of: photo) == .nowhere)
    await attachments(phone, remote()).sync()
    #expect(await copies.sync().map(\.left) == [[photo]])
    #expect(copies.availability(of: photo) == .elsewhere([path]))
    #expect(try await copies.content(of: photo) == noise(1500))
  }

  @Test func `a connection that is cut anywhere loses nothing, and the next one resumes`()
    async throws
  {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    var photos: [Attachment] = []
    for (seed, count) in [2_100_000, 700, 1_100_000].enumerated() {
      photos.append(try await add(count, UInt64(seed + 1), to: phone))
    }
    for one in [phone, tablet] { _ = try await one.store.sync(with: remote()) }
    for one in [phone, tablet] {
      var cut = 100
      var isDone = false
      while !isDone {
        let report = try #require(await attachments(one, remote(cutAfter: cut)).sync().first)
        isDone = report.error == nil && report.problems.isEmpty
        #expect(isDone || report.error?.code == .remoteFailed || report.error?.code == .locked)
        #expect(try there.damaged().isEmpty)
        #expect(try one.store.attachmentFolder.damaged().isEmpty)
        cut += 190_000
        #expect(cut < 6_000_000)
      }
    }
    for (seed, count) in [2_100_000, 700, 1_100_000].enumerated() {
      let copy = try tablet.store.attachmentFolder.content(of: photos[seed])
      #expect(copy == noise(count, UInt64(seed + 1)))
    }
  }

  @Test func `damage on either side stops at the check, and the others go`() async throws {
    let phone = try await device()
    let photos = [try await add(900, 1, to: phone), try await add(901, 2, to: phone)]
    _ = try await phone.store.sync(with: remote())
    let file = phone.store.attachmentFolder.file(of: photos[0].sha256)
    try Data(noise(900, 9)).write(to: URL(fileURLWithPath: file))
    let report = try #require(await attachments(phone, remote()).sync().first)
    #expect(report.sent == [photos[1]] && report.problems.map(\.code) == [.damaged])
    try Data(noise(901, 9)).write(to: URL(fileURLWithPath: there.file(of: photos[1].sha256)))
    let tablet = try await device("tablet")
    _ = try await tablet.store.sync(with: remote())
    let fetched = try #require(await attachments(tablet, remote()).sync().first)
    #expect(fetched.received.isEmpty && fetched.problems.map(\.code) == [.damaged])
    #expect(try tablet.store.attachmentFolder.contents().isEmpty)
  }

  @Test(arguments: [FileOperation.open, .read], [0, 1])
  func `a content that can't be read there is reported, and the others arrive`(
    operation: FileOperation, index: Int
  ) async throws {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    for seed in 1...3 { _ = try await add(900, UInt64(seed), to: phone) }
    for one in [phone, tablet] { _ = try await one.store.sync(with: remote()) }
    await attachments(phone, remote()).sync()
    let disk = InstrumentedFileSystem(SystemFileSystem())
    disk.failNext(operation, after: index, with: .inputOutput)
    let report = try #require(await attachments(tablet, remote(on: disk)).sync().first)
    #expect(report.error == nil && report.received.count == 2 && report.missing.isEmpty)
    #expect(report.problems.map(\.code) == [.remoteFailed])
    #expect(await attachments(tablet, remote()).sync().map(\.received.count) == [1])
    #expect(try tablet.store.attachmentFolder.damaged().isEmpty)
  }

  @Test func `a call reports that a listed content can't be read there`() async throws {
    let (phone, tablet) = (try await device(), try await device("tablet"))
    let photo = try await add(2_100_000, to: phone)
    for one in [phone, tablet] { _ = try await one.store.sync(with: remote()) }
    await attachments(phone, remote()).sync()
    let disk = InstrumentedFileSystem(SystemFileSystem())
    let copies = Attachments(
      of: tablet.store, at: [remote(on: disk)], options: .init(fetching: .onDemand))
    await copies.sync()
    for index in [0, 2] {
      disk.failNext(.read, after: index, with: .inputOutput)
      let error = await #expect(throws: EventLogError.self) {
        _ = try await copies.content(of: photo)
      }
      #expect(error?.message.contains("doesn't deliver it") == true)
    }
    #expect(try await copies.content(of: photo) == noise(2_100_000))
  }

  @Test func `a full disk there fails once`() async throws {
    let phone = try await device()
    for seed in 1...5 { _ = try await add(900, UInt64(seed), to: phone) }
    _ = try await phone.store.sync(with: remote())
    let disk = InstrumentedFileSystem(SystemFileSystem())
    disk.failNext(.write, with: .noSpace, times: 100)
    let report = try #require(await attachments(phone, remote(on: disk)).sync().first)
    #expect(report.error?.code == .inputOutput && report.problems.isEmpty && report.sent.isEmpty)
    #expect(await attachments(phone, remote()).sync().map(\.sent.count) == [5])
  }

  @Test func `a server that serves only events says so once`() async throws {
    let phone = try await device()
    _ = try await add(900, to: phone)
    let old = PipeRemote(servingInMemory: path)
    _ = try await phone.store.sync(with: old)
    let report = try #require(await attachments(phone, old).sync().first)
    #expect(report.error?.code == .remoteFailed && report.error?.hint == "Update eventlog there.")
  }

  @Test func `an initiator can reach only contents`() async throws {
    let contents = JournalContents(beside: path)
    try Data("secret".utf8).write(to: URL(fileURLWithPath: desk.file("secret")))
    for name in ["../secret", "secret", "", String(repeating: "A", count: 64)] {
      let content = ContentID(sha256: name, byteCount: 6)
      #expect(try await contents.read(content, at: 0, count: 6) == nil)
      #expect(try await contents.begin(content) == nil)
    }
    await #expect(throws: EventLogError.self) { _ = try await contents.write([1]) }
    let content = ContentID(sha256: String(repeating: "a", count: 64), byteCount: 3)
    let endless = ContentID(sha256: String(repeating: "b", count: 64), byteCount: (1 << 53) - 1)
    #expect(try await contents.begin(endless) == 0)
    #expect(try await contents.write([1]) == 1)
    try SystemFileSystem().remove(there.partialFile(of: endless.sha256))
    #expect(try await contents.begin(content) == 0)
    #expect(try await JournalContents(beside: path).begin(content) == nil)
    await #expect(throws: EventLogError.self) { _ = try await contents.write([1, 2, 3, 4]) }
    #expect(try await contents.write([1, 2, 3]) == 0)
    #expect(try SystemFileSystem().contents(of: there.path).isEmpty)
    await contents.leave()
  }
}
