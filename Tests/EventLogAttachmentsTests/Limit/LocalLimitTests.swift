import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogAttachments

/// The limit on the bytes of attachments here.
@Suite struct LocalLimitTests {
  private let cloud = MemoryStorage(partBytes: 1000)
  private var place: MemoryStorage { cloud.nested("attachments") }
  private var remotes: [any Remote] { [ObjectRemote(cloud)] }

  private func device(
    _ name: String, clock: AdjustableClock = AdjustableClock()
  ) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Entry.self, clock: clock)
  }

  private func attachments(_ device: TemporaryStore, _ bytes: Int64) -> Attachments {
    Attachments(
      of: device.store, at: remotes, options: .init(fetching: .upTo(bytes: bytes)))
  }

  private func add(_ seed: Int, to device: TemporaryStore) async throws -> Attachment {
    let photo = try await device.store.attach(noise(1000, UInt64(seed)), type: "a/b")
    _ = try await device.store.create(Entry.self) { $0.photo = photo }
    return photo
  }

  private func add(count: Int, to device: TemporaryStore) async throws -> [Attachment] {
    var photos: [Attachment] = []
    for seed in 1...count { photos.append(try await add(seed, to: device)) }
    return photos
  }

  private func sync(_ device: TemporaryStore) async throws {
    _ = try await device.store.sync(with: ObjectRemote(cloud))
  }

  private func here(_ device: TemporaryStore, _ photos: [Attachment]) -> [Bool] {
    photos.map { device.store.attachmentFolder.contains($0) }
  }

  @Test func `the oldest contents go when a place has proved to have them`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 4, to: phone)
    try await sync(phone)
    let report = try #require(await attachments(phone, 2500).sync().first)
    #expect(Set(report.sent) == Set(photos) && report.error == nil && report.problems.isEmpty)
    #expect(report.removed == [photos[0], photos[1]])
    #expect(here(phone, photos) == [false, false, true, true])
    // Nothing is left to do, and what was removed can be fetched.
    let copies = attachments(phone, 2500)
    let again = try #require(await copies.sync().first)
    #expect(again.removed.isEmpty && again.received.isEmpty && again.left.count == 2)
    #expect(try await copies.content(of: photos[0]) == noise(1000, 1))
  }

  @Test func `an opened content counts as used, also in the next run of the app`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 3, to: phone)
    try await sync(phone)
    let first = attachments(phone, 5000)
    _ = try await first.file(of: photos[0])
    await first.sync()
    let report = try #require(await attachments(phone, 2000).sync().first)
    #expect(report.removed == [photos[1]])
    #expect(here(phone, photos) == [true, false, true])
  }

  @Test func `a content that a place lists and doesn't deliver as it is stays`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 2, to: phone)
    try await sync(phone)
    await attachments(phone, 9000).sync()
    for name in place.names where name.hasPrefix(photos[0].sha256) {
      place.objects[name] = noise(1000, 99)
    }
    place.letVanish(place.names.filter { $0.hasPrefix(photos[1].sha256) })
    let report = try #require(await attachments(phone, 0).sync().first)
    #expect(report.removed.isEmpty && report.problems.map(\.code) == [.damaged, .damaged])
    #expect(here(phone, photos) == [true, true])
  }

  @Test func `a content that was fetched is read back before it goes`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photos = try await add(count: 2, to: phone)
    try await sync(phone)
    await attachments(phone, 9000).sync()
    try await sync(tablet)
    await attachments(tablet, 2000).sync()
    #expect(here(tablet, photos) == [true, true])
    place.letVanish(place.names.filter { $0.hasPrefix(photos[0].sha256) })
    let report = try #require(await attachments(tablet, 0).sync().first)
    #expect(report.removed == [photos[1]] && report.problems.map(\.code) == [.damaged])
    #expect(here(tablet, photos) == [true, false])
  }

  @Test func `a content stays while a place that was reached lacks it`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 1, to: phone)
    try await sync(phone)
    let full = MemoryStorage(address: "full")
    full.nested("attachments").fill()
    let copies = Attachments(
      of: phone.store, at: remotes + [ObjectRemote(full)],
      options: .init(fetching: .upTo(bytes: 0)))
    let reports = await copies.sync()
    #expect(reports.map(\.error?.code) == [nil, .quotaExceeded])
    #expect(reports.map(\.removed) == [[], []])
    #expect(here(phone, photos) == [true])
  }

  @Test func `nothing goes after a failed sync, and in one direction only`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 3, to: phone)
    try await sync(phone)
    place.failCall(after: 2)
    #expect(await attachments(phone, 0).sync().map { $0.error?.code } == [.remoteFailed])
    place.stopFailing()
    let options = AttachmentOptions(fetching: .upTo(bytes: 0))
    for directions in [ReplicationPlan.Directions.pull, .push] {
      let copies = Attachments(of: phone.store, at: remotes, directions, options)
      #expect(await copies.sync().map(\.removed) == [[]])
    }
    #expect(here(phone, photos) == [true, true, true])
  }

  @Test func `a place that fails while contents are read back keeps them here`() async throws {
    for count in 0..<12 {
      let phone = try await device("phone")
      let photos = try await add(count: 3, to: phone)
      try await sync(phone)
      await attachments(phone, 9000).sync()
      place.failCall(after: count)
      let reports = await attachments(phone, 0).sync()
      place.stopFailing()
      for (photo, isHere) in zip(photos, here(phone, photos)) where !isHere {
        #expect(reports[0].removed.contains(photo))
        #expect(place.names.contains { $0.hasPrefix(photo.sha256) })
      }
      #expect(try await attachments(phone, 0).content(of: photos[0]) == noise(1000, 1))
    }
  }

  @Test func `a content goes only when every place that can be reached has it`() async throws {
    let phone = try await device("phone")
    let photo = try await add(1, to: phone)
    let other = MemoryStorage(address: "other")
    let copies = Attachments(
      of: phone.store, at: [ObjectRemote(cloud), ObjectRemote(other)],
      options: .init(fetching: .upTo(bytes: 0)))
    other.nested("attachments").failCall(after: 0)
    let reports = await copies.sync()
    // The other place can't be reached, so it doesn't hold up the limit.
    #expect(reports[1].error != nil && reports[0].removed == [photo])
    other.nested("attachments").stopFailing()
    let newer = try await add(2, to: phone)
    let again = await copies.sync()
    #expect(again.map(\.sent) == [[newer], [newer]] && again[0].removed == [newer])
  }

  @Test func `a content that was just opened, or is being read, stays`() async throws {
    let clock = AdjustableClock()
    let phone = try await device("phone", clock: clock)
    let photos = try await add(count: 2, to: phone)
    try await sync(phone)
    let copies = attachments(phone, 0)
    _ = try await copies.file(of: photos[0])
    let reader = try ContentFile(photos[1], in: phone.store.attachmentFolder)
    #expect(await copies.sync().map(\.removed) == [[]])
    reader.close()
    #expect(await copies.sync().map(\.removed) == [[photos[1]]])
    clock.advance(by: .seconds(700))
    #expect(await copies.sync().map(\.removed) == [[photos[0]]])
  }

  @Test func `a released content stays, because a place may drop it`() async throws {
    let phone = try await device("phone")
    let photo = try await phone.store.attach(noise(1000), type: "a/b")
    let other = try await phone.store.attach(noise(1000, 2), type: "a/b")
    let id = try await phone.store.create(Entry.self) { $0.photo = photo }.id
    _ = try await phone.store.edit(id) { $0.photo = other }
    try await sync(phone)
    #expect(try await attachments(phone, 0).release().released == [photo.sha256])
    _ = try await phone.store.edit(id) { $0.files = [photo] }
    try await sync(phone)
    #expect(await attachments(phone, 0).sync().map(\.removed) == [[other]])
    #expect(here(phone, [photo]) == [true])
  }

  @Test func `a content without a name stays`() async throws {
    let phone = try await device("phone")
    let photo = try await phone.store.attach(noise(1000), type: "a/b")
    let other = try await add(2, to: phone)
    try await sync(phone)
    #expect(await attachments(phone, 0).sync().map(\.removed) == [[other]])
    #expect(here(phone, [photo]) == [true])
  }

  @Test func `a newer content replaces older ones here, once`() async throws {
    let time = AdjustableClock(at: Timestamp("2100-01-01T00:00:00Z")!)
    let (phone, tablet) = (
      try await device("phone", clock: time), try await device("tablet")
    )
    let old = try await add(count: 2, to: phone)
    try await sync(phone)
    await attachments(phone, 9000).sync()
    try await sync(tablet)
    await attachments(tablet, 2000).sync()
    let new = try await add(3, to: phone)
    try await sync(phone)
    await attachments(phone, 9000).sync()
    try await sync(tablet)
    let report = try #require(await attachments(tablet, 2000).sync().first)
    #expect(report.received == [new] && report.left.isEmpty && report.removed.count == 1)
    #expect(here(tablet, old + [new]).count { $0 } == 2)
    for _ in 0..<3 {
      let again = try #require(await attachments(tablet, 2000).sync().first)
      #expect(again.received.isEmpty && again.removed.isEmpty && again.left.count == 1)
    }
  }

  @Test func `a memory that is lost or damaged costs only another reading`() async throws {
    let phone = try await device("phone")
    let photos = try await add(count: 3, to: phone)
    try await sync(phone)
    let copies = attachments(phone, 2000)
    await copies.sync()
    let side = copies.side
    let file = side.path(of: "", "attachments")
    let sound = try SystemFileSystem().contents(ofFile: file, maximumBytes: 1 << 20)
    for bytes in [
      Array(sound.prefix(40)), Array("{}".utf8), [0xFF],
      Array(
        #"{"attachments":{"openings":[["a",1],["\#(photos[2].sha256)",9e18],7]},"remote":""}"#
          .utf8),
    ] {
      try SystemFileSystem().replaceFile(at: file, with: bytes)
      #expect(ContentMemory(in: side).isEmpty)
      #expect(await attachments(phone, 2000).sync().map { $0.error?.code } == [nil])
    }
    #expect(await attachments(phone, 0).sync().map(\.removed.count) == [2])
    #expect(try await attachments(phone, 0).content(of: photos[2]) == noise(1000, 3))
  }

  @Test func `a crash between any two calls of a removal loses nothing`() async throws {
    for count in 0..<40 {
      let phone = try await device("phone")
      let photos = try await add(count: 3, to: phone)
      try await sync(phone)
      await attachments(phone, 9000).sync()
      phone.disk.failNextCall(after: count, with: .inputOutput)
      await attachments(phone, 0).sync()
      phone.disk.stopFailing()
      for (seed, photo) in photos.enumerated() {
        #expect(
          try await attachments(phone, 9000).content(of: photo) == noise(1000, UInt64(seed + 1)))
      }
    }
  }
}
