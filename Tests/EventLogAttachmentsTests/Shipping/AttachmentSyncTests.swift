import EventLog
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogAttachments

/// Attachments between devices, through a storage.
@Suite struct AttachmentSyncTests {
  private let cloud = MemoryStorage(partBytes: 1000)
  private var place: MemoryStorage { cloud.nested("attachments") }
  private var remotes: [any Remote] { [ObjectRemote(cloud)] }

  private func device(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Entry.self)
  }

  private func attachments(
    _ device: TemporaryStore, _ fetching: AttachmentOptions.Fetching = .all
  ) -> Attachments {
    Attachments(of: device.store, at: remotes, options: .init(fetching: fetching))
  }

  private func add(_ bytes: [UInt8], to device: TemporaryStore) async throws -> Attachment {
    let photo = try await device.store.attach(bytes, type: "a/b", name: "a.bin")
    _ = try await device.store.create(Entry.self) { $0.photo = photo }
    return photo
  }

  private func sync(_ device: TemporaryStore) async throws {
    _ = try await device.store.sync(with: ObjectRemote(cloud))
  }

  @Test(arguments: [0, 1, 999, 1000, 1001, 5500])
  func `a content of any size reaches another device byte for byte`(count: Int) async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let bytes = Array(noise(count).prefix(count))
    let photo = try await add(bytes, to: phone)
    try await sync(phone)
    let sent = try #require(await attachments(phone).sync().first)
    #expect(sent.error == nil && sent.missing.isEmpty)
    #expect(sent.sent == (count == 0 ? [] : [photo]))
    #expect(place.names.count == (count + 999) / 1000)
    try await sync(tablet)
    let received = try #require(await attachments(tablet).sync().first)
    #expect(received.received == [photo] && received.error == nil)
    let copies = attachments(tablet)
    #expect(try await copies.content(of: photo) == bytes)
    #expect(copies.availability(of: photo) == .here)
    // Nothing is left to do.
    let calls = place.callCount
    for one in [phone, tablet] {
      let again = await attachments(one).sync()
      #expect(again.allSatisfy { $0.sent.isEmpty && $0.received.isEmpty && $0.error == nil })
    }
    #expect(place.callCount <= calls + 4)
  }

  @Test func `an interrupted upload resumes with the parts that are missing`() async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(5500), to: phone)
    for count in 1..<20 {
      place.failCall(after: 2 + count % 2)
      let report = try #require(await attachments(phone).sync().first)
      place.stopFailing()
      if report.error == nil { break }
      #expect(report.error?.code == .remoteFailed && count < 10)
    }
    #expect(place.objects.values.map(\.count).sorted() == [500, 1000, 1000, 1000, 1000, 1000])
    #expect(attachments(phone).availability(of: photo) == .here)
  }

  @Test func `one unreadable object doesn't keep the other attachments from arriving`() async throws
  {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    var photos: [Attachment] = []
    for count in [700, 800, 900] { photos.append(try await add(noise(count), to: phone)) }
    try await sync(phone)
    _ = await attachments(phone).sync()
    try await sync(tablet)
    // The newest one is fetched first.
    let name = try #require(place.names.first { $0.hasPrefix(photos[2].sha256) })
    place.letVanish([name])
    let report = try #require(await attachments(tablet).sync().first)
    #expect(Set(report.received) == [photos[0], photos[1]])
    #expect(report.error == nil && report.problems.map(\.code) == [.remoteFailed])
  }

  @Test func `an interrupted download resumes after its last part`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(5500), to: phone)
    try await sync(phone)
    await attachments(phone).sync()
    let copies = attachments(tablet, .onDemand)
    var lasts: [Int] = []
    for _ in 0..<20 {
      // A listing of two pages, and two parts.
      place.failCall(after: 4)
      let path = try? await copies.file(of: photo)
      place.stopFailing()
      if path != nil { break }
      let files = try SystemFileSystem().contents(of: copies.folder.path)
      #expect(files == ["\(photo.sha256).part"])
      let status = try SystemFileSystem().status(at: Path.join(copies.folder.path, files[0]))
      lasts.append(Int(status.size))
    }
    #expect(lasts == lasts.sorted() && Set(lasts).count == lasts.count && lasts.count > 1)
    #expect(try await copies.content(of: photo) == noise(5500))
    #expect(try SystemFileSystem().contents(of: copies.folder.path) == [photo.sha256])
  }

  @Test func `a damaged content at a place never becomes visible`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(2500), to: phone)
    try await sync(phone)
    await attachments(phone).sync()
    let sound = place.objects
    let second = place.names[1]
    place.objects[second] = noise(1000, 9)
    try await sync(tablet)
    let copies = attachments(tablet)
    let report = try #require(await copies.sync().first)
    #expect(report.problems.map(\.code) == [.damaged] && report.received.isEmpty)
    #expect(try SystemFileSystem().contents(of: copies.folder.path).isEmpty)
    place.objects = sound
    #expect(await copies.sync().first?.received == [photo])
  }

  @Test func `a part that can't be read leaves the other contents transferable`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let older = try await add(noise(1500, 1), to: phone)
    let middle = try await add(noise(2500, 2), to: phone)
    let newer = try await add(noise(1500, 3), to: phone)
    try await sync(phone)
    await attachments(phone).sync()
    let names = place.names.filter { $0.hasPrefix(middle.sha256) }
    place.letVanish([names[1]])
    try await sync(tablet)
    let report = try #require(await attachments(tablet).sync().first)
    #expect(report.received == [newer, older] && report.error == nil)
    #expect(report.problems.map(\.code) == [.remoteFailed])
  }

  @Test func `a place that stops answering ends the transfer`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    for seed in 1...3 { _ = try await add(noise(500, UInt64(seed)), to: phone) }
    try await sync(phone)
    await attachments(phone).sync()
    try await sync(tablet)
    place.failCall(after: 1)
    let calls = place.callCount
    let report = try #require(await attachments(tablet).sync().first)
    #expect(report.error?.code == .remoteFailed && report.problems.isEmpty)
    // The listing, the first part, and the second listing.
    #expect(place.callCount <= calls + 3)
  }

  @Test func `a device that has a content restores it at a place`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(2500), to: phone)
    try await sync(phone)
    await attachments(phone).sync()
    let sound = place.objects
    place.objects[place.names[1]] = noise(1000, 9)
    #expect(await attachments(phone).restore().map(\.sent) == [[photo]])
    #expect(place.objects == sound)
    #expect(await attachments(phone).restore().map(\.sent) == [[]])
    try await sync(tablet)
    #expect(await attachments(tablet).sync().first?.received == [photo])
  }

  @Test(arguments: [(900, 0), (2500, 2)])
  func `a damaged content is not sent as a whole`(count: Int, partCount: Int) async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(count), to: phone)
    let file = phone.store.attachmentFolder.file(of: photo.sha256)
    try Data(noise(count, 7)).write(to: URL(fileURLWithPath: file))
    let report = try #require(await attachments(phone).sync().first)
    #expect(report.problems.map(\.code) == [.damaged] && report.sent.isEmpty)
    #expect(place.names.count == partCount)
    #expect(try await AttachmentListing(of: place).isWhole(photo) == false)
  }

  @Test func `a part that a place has lost is put there again`() async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(2500), to: phone)
    await attachments(phone).sync()
    let all = place.objects
    try await place.remove(place.names[1])
    #expect(await attachments(phone).sync().first?.sent == [photo])
    #expect(place.objects == all)
  }

  @Test func `objects of other names and sizes at a place are ignored`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(1500), to: phone)
    let hash = photo.sha256
    for name in [
      "../\(hash)-000000000000", "\(hash)", "\(hash)-0", "\(hash)-00000000000x", "\(hash)-",
      "\(hash.uppercased())-000000000000", "\(hash)-000000000000-1", "-", "\(hash)-0000000000000",
      "\(hash)-000000000007", String(repeating: "a", count: 1400),
    ] {
      place.objects[name] = noise(20)
    }
    place.objects["\(hash)-000000000000"] = []
    try await sync(phone)
    #expect(await attachments(phone).sync().first?.sent == [photo])
    #expect(place.objects["\(hash)-000000000000"] == Array(noise(1500).prefix(1000)))
    try await sync(tablet)
    #expect(await attachments(tablet).sync().first?.received == [photo])
  }

  @Test func `parts of different sizes make one content`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(3000), to: phone)
    // A part that is listed, and one whose name is taken, but which does not appear yet.
    place.objects["\(photo.sha256)-000000000000"] = Array(noise(3000).prefix(300))
    place.objects["\(photo.sha256)-000000001300"] = Array(noise(3000)[1300..<1400])
    place.hide(["\(photo.sha256)-000000001300"])
    let refused = try #require(await attachments(phone).sync().first)
    #expect(refused.problems.map(\.code) == [.remoteFailed] && refused.error == nil)
    place.showAll()
    #expect(await attachments(phone).sync().first?.sent == [photo])
    try await sync(phone)
    try await sync(tablet)
    #expect(await attachments(tablet).sync().first?.received == [photo])
    #expect(place.objects.values.map(\.count).sorted() == [100, 300, 600, 1000, 1000])
  }

  @Test func `many callers share one request`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(3000), to: phone)
    await attachments(phone).sync()
    let copies = attachments(tablet, .onDemand)
    let before = place.callCount
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await copies.file(of: photo) } }
      for try await path in group { #expect(path == copies.folder.file(of: photo.sha256)) }
    }
    // Three parts, and a listing for each request, of which there is one.
    #expect(place.callCount - before <= 5)
  }

  @Test func `a canceled caller doesn't end the request of another`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(3000), to: phone)
    await attachments(phone).sync()
    let copies = attachments(tablet, .onDemand)
    let canceled = Task { try await copies.file(of: photo) }
    let kept = Task { try await copies.file(of: photo) }
    canceled.cancel()
    #expect(try await kept.value == copies.folder.file(of: photo.sha256))
    _ = await canceled.result
    #expect(try await copies.content(of: photo) == noise(3000))
  }

  @Test func `a device fetches the newest contents that fit its limit`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    var photos: [Attachment] = []
    for number in 1...4 { photos.append(try await add(noise(1000, UInt64(number)), to: phone)) }
    try await sync(phone)
    await attachments(phone).sync()
    try await sync(tablet)
    let none = try #require(await attachments(tablet, .onDemand).sync().first)
    #expect(none.received.isEmpty && none.left.count == 4)
    let some = attachments(tablet, .upTo(bytes: 2500))
    let report = try #require(await some.sync().first)
    #expect(report.received == [photos[3], photos[2]] && report.left == [photos[1], photos[0]])
    #expect(some.availability(of: photos[0]) == .elsewhere(["memory"]))
    _ = try await some.file(of: photos[0])
    #expect(some.availability(of: photos[0]) == .here)
  }

  @Test func `an attachment is unknown, nowhere or at a place before it is here`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(10), to: phone)
    try await sync(phone)
    try await sync(tablet)
    let copies = attachments(tablet)
    #expect(copies.availability(of: photo) == .unknown)
    let report = try #require(await copies.sync().first)
    #expect(report.missing == [photo] && copies.availability(of: photo) == .nowhere)
    do {
      _ = try await copies.file(of: photo)
      Issue.record("it is nowhere")
    } catch { #expect(error.code == .remoteFailed && error.hint != nil) }
  }

  @Test func `a row follows the availability of its attachment`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(3000), to: phone)
    try await sync(phone)
    try await sync(tablet)
    let copies = attachments(tablet, .onDemand)
    var states = copies.availabilities(of: photo).makeAsyncIterator()
    #expect(await states.next() == .unknown)
    await copies.sync()
    #expect(await states.next() == .nowhere)
    await attachments(phone).sync()
    await copies.sync()
    #expect(await states.next() == .elsewhere(["memory"]))
    _ = try await copies.file(of: photo)
    var last: Attachments.Availability?
    while last != .here {
      last = await states.next()
      switch last {
      case .fetching?, .here?: break
      default: Issue.record("\(String(describing: last))")
      }
    }
    // The next run of the app knows it before its first sync.
    let other = try await device("laptop")
    try await sync(other)
    await attachments(other, .onDemand).sync()
    #expect(attachments(other).availability(of: photo) == .elsewhere(["memory"]))
  }

  @Test func `the availabilities of an attachment end with its object`() async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(10), to: phone)
    var copies: Attachments? = attachments(phone)
    let states = try #require(copies).availabilities(of: photo)
    copies = nil
    var count = 0
    for await _ in states { count += 1 }
    #expect(count <= 1)
  }

  @Test func `a false size stands for no content`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(1500), to: phone)
    await attachments(phone).sync()
    let copies = attachments(tablet)
    for bytes in [0, 1, 1000, 1499, 1501, 1 << 40] as [Int64] {
      let wrong = Attachment(sha256: photo.sha256, bytes: bytes, type: "a/b", name: nil)
      await #expect(throws: EventLogError.self) { _ = try await copies.file(of: wrong) }
    }
    #expect(try await copies.content(of: photo) == noise(1500))
  }

  @Test func `deleted entities and candidates of conflicts keep their contents`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let id = try await phone.store.create(Entry.self) { $0.title = "Soup" }.id
    for one in [phone, tablet] { try await sync(one) }
    var photos: [Attachment] = []
    for (seed, one) in [phone, tablet].enumerated() {
      let photo = try await one.store.attach(noise(10, UInt64(seed) + 1), type: "a/b")
      photos.append(photo)
      _ = try await one.store.edit(id) { $0.photo = photo }
    }
    for one in [phone, tablet, phone] { try await sync(one) }
    let uses = phone.store.snapshot.attachmentUses
    #expect(Set(uses.map(\.attachment)) == Set(photos) && uses.count { $0.isShown } == 1)
    _ = try await phone.store.delete(id)
    #expect(Set(phone.store.snapshot.attachmentUses.map(\.attachment)) == Set(photos))
  }

  @Test func `lists of attachments are named, too`() async throws {
    let phone = try await device("phone")
    var files: [Attachment] = []
    for seed in 1...3 {
      files.append(try await phone.store.attach(noise(9, UInt64(seed)), type: "a/b"))
    }
    let list = files
    _ = try await phone.store.create(Entry.self) { $0.files = list }
    #expect(phone.store.snapshot.attachmentUses.map(\.attachment) == files)
    #expect(await attachments(phone).sync().first?.sent.count == 3)
  }

  @Test func `a folder and another journal keep attachments`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let shared = FolderRemote(path: phone.folder.file("Shared"))
    let journal = JournalRemote(path: phone.folder.file("other.jsonl"))
    let photo = try await add(noise(1000), to: phone)
    for remote in [shared, journal] as [any Remote] {
      _ = try await phone.store.sync(with: remote)
    }
    let sending = Attachments(of: phone.store, at: [journal, shared])
    #expect(sending.remotesWithout.isEmpty)
    #expect(await sending.sync().map(\.sent) == [[photo], [photo]])
    #expect(await sending.sync().map(\.sent) == [[], []])
    for (remote, name) in [(shared, "a"), (journal, "b")] as [(any Remote, String)] {
      let other = try await device("tablet\(name)")
      _ = try await other.store.sync(with: remote)
      let copies = Attachments(of: other.store, at: [remote])
      #expect(await copies.sync().map(\.received) == [[photo]])
      #expect(try await copies.content(of: photo) == noise(1000))
    }
    let copies = Attachments(of: tablet.store, at: [journal])
    #expect(copies.availability(of: photo) == .elsewhere([journal.address]))
    #expect(try await copies.content(of: photo) == noise(1000))
  }

  @Test func `a damaged content beside another journal isn't copied`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(1000), to: phone)
    let journal = JournalRemote(path: phone.store.path)
    _ = try await tablet.store.sync(with: journal)
    let file = phone.store.attachmentFolder.file(of: photo.sha256)
    try Data(noise(1000, 2)).write(to: URL(fileURLWithPath: file))
    let report = try #require(await Attachments(of: tablet.store, at: [journal]).sync().first)
    #expect(report.problems.map(\.code) == [.damaged] && report.received.isEmpty)
    #expect(try tablet.store.attachmentFolder.contents().isEmpty)
  }

  @Test func `a replicator's syncs carry the attachments`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(2500), to: phone)
    let schedule = ReplicationSchedule(delay: .milliseconds(5), interval: .milliseconds(20))
    let all = [phone, tablet].map { attachments($0) }
    for (one, attachments) in zip([phone, tablet], all) {
      attachments.follow(one.store.replicate(with: remotes, schedule))
    }
    for await _ in all[1].updates where all[1].availability(of: photo) == .here { break }
    #expect(try await all[1].content(of: photo) == noise(2500))
    for one in [phone, tablet] { try await one.store.close() }
  }
}
