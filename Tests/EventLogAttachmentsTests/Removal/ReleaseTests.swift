import EventLog
import EventLogErasure
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogAttachments

/// An entry of a later version of the app, with a second photo.
private struct LaterEntry: Record {
  var title = ""
  var photo: Attachment?
  var files: [Attachment] = []
  var cover: Attachment?

  static let schema = Schema<LaterEntry>(
    "entry",
    [
      .register("title", \.title), .register("photo", \.photo), .register("files", \.files),
      .register("cover", \.cover),
    ])
}

/// The removal of contents that nothing names any more.
@Suite struct ReleaseTests {
  private let cloud = MemoryStorage(partBytes: 1000)
  private var place: MemoryStorage { cloud.nested("attachments") }
  /// Later than the times of the files, which are those of the system.
  private let clock = AdjustableClock(at: Timestamp("2040-01-01T00:00:00Z")!)

  private func device(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(
      device: name, records: Entry.self, clock: AdjustableClock(sharingTimeOf: clock))
  }

  private func attachments(_ device: TemporaryStore) -> Attachments {
    Attachments(of: device.store, at: [ObjectRemote(cloud)])
  }

  private func sync(_ devices: TemporaryStore...) async throws {
    for device in devices + devices {
      _ = try await device.store.sync(with: ObjectRemote(cloud))
      await attachments(device).sync()
    }
  }

  private func release(_ device: TemporaryStore) async throws -> ReleaseReport {
    try await attachments(device).release()
  }

  private func add(
    _ bytes: [UInt8], to device: TemporaryStore
  ) async throws -> (id: ID<Entry>, photo: Attachment) {
    let photo = try await device.store.attach(bytes, type: "a/b")
    return (try await device.store.create(Entry.self) { $0.photo = photo }.id, photo)
  }

  private func isHere(_ photo: Attachment, _ device: TemporaryStore) -> Bool {
    device.store.attachmentFolder.contains(photo)
  }

  private func isThere(_ photo: Attachment) -> Bool {
    place.names.contains { $0.hasPrefix(photo.sha256) }
  }

  // MARK: - Going

  @Test func `a replaced photo goes once each device has written after seeing its release`()
    async throws
  {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(2500), to: phone)
    _ = try await add(noise(30, 2), to: tablet)
    try await sync(phone, tablet)
    try await phone.edit(id) { $0.photo = nil }
    let first = try await release(phone)
    #expect(first.released == [photo.sha256] && first.removed.isEmpty)
    #expect(first.waiting.keys.sorted() == [photo.sha256])
    #expect(first.waiting.values.joined().allSatisfy { $0.hasPrefix("tablet-") })
    #expect(try await release(phone).released.isEmpty)
    try await sync(phone, tablet)
    #expect(isThere(photo) && isHere(photo, phone) && isHere(photo, tablet))
    // The tablet's call states that it has seen the release.
    let second = try await release(tablet)
    #expect(second.released.isEmpty && second.waiting.isEmpty)
    #expect(second.removed == [photo.sha256] && second.removedBytes == 2500)
    #expect(second.places.map(\.error?.code) == [nil] && !isThere(photo))
    try await sync(tablet, phone)
    #expect(try await release(phone).removed == [photo.sha256] && !isHere(photo, phone))
    try await sync(phone, tablet)
    #expect(!isThere(photo) && !isHere(photo, phone) && !isHere(photo, tablet))
    #expect(try await release(phone).removed.isEmpty)
  }

  @Test func `a photo that is named again after its release comes back and stays`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(2500), to: phone)
    try await sync(phone, tablet)
    try await phone.edit(id) { $0.photo = nil }
    #expect(try await release(phone).removed == [photo.sha256])
    #expect(!isThere(photo) && isHere(photo, tablet))
    // The tablet hasn't seen the release, and still shows the photo.
    _ = try await tablet.store.create(Entry.self) { $0.photo = photo }
    try await sync(tablet, phone)
    #expect(isThere(photo) && isHere(photo, phone))
    let report = try await release(phone)
    #expect(report.released.isEmpty && report.removed.isEmpty && isThere(photo))
  }

  @Test func `a photo of an erased entity goes, and one of a deleted entity stays`() async throws {
    let phone = try await device("phone")
    let (id, photo) = try await add(noise(2500), to: phone)
    let (other, shared) = try await add(noise(700, 2), to: phone)
    _ = try await phone.store.create(Entry.self) { $0.files = [shared] }
    try await sync(phone)
    try await phone.delete(id)
    #expect(try await release(phone).released.isEmpty && isHere(photo, phone))
    try await phone.store.erase(.entity(id.entity))
    try await phone.store.erase(.entity(other.entity))
    let report = try await release(phone)
    // The erasure has released it.
    #expect(report.released.isEmpty && report.removed == [photo.sha256])
    try await sync(phone)
    #expect(!isThere(photo) && !isHere(photo, phone))
    #expect(isThere(shared) && isHere(shared, phone))
  }

  // MARK: - Staying

  @Test func `all sides of a conflict stay, and the value before it`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, base) = try await add(noise(2500), to: phone)
    try await sync(phone, tablet)
    var sides: [Attachment] = []
    for (one, seed) in [(phone, UInt64(2)), (tablet, 3)] {
      let photo = try await one.store.attach(noise(800, seed), type: "a/b")
      try await one.edit(id) { $0.photo = photo }
      sides.append(photo)
    }
    try await sync(phone, tablet)
    for one in [phone, tablet, phone, tablet] {
      let report = try await release(one)
      #expect(report.released.isEmpty && report.removed.isEmpty)
      try await sync(phone, tablet)
    }
    #expect((sides + [base]).allSatisfy { isThere($0) && isHere($0, phone) })
    try await phone.edit(id) { $0.photo = nil }
    #expect(Set(try await release(phone).released) == Set((sides + [base]).map(\.sha256)))
  }

  @Test func `a photo that a later version of the app names stays`() async throws {
    let phone = try await device("phone")
    let tablet = try await TemporaryStore(
      device: "tablet", records: LaterEntry.self, clock: AdjustableClock(sharingTimeOf: clock))
    let (id, photo) = try await add(noise(2500), to: phone)
    try await sync(phone, tablet)
    let later = try #require(ID<LaterEntry>(id.entity.key))
    try await tablet.edit(later) {
      $0.cover = photo
      $0.photo = nil
    }
    try await sync(tablet, phone)
    for one in [phone, tablet, phone] {
      let report = try await release(one)
      #expect(report.released.isEmpty && report.removed.isEmpty)
    }
    // Even if it is replaced there, the earlier version can't know that.
    try await tablet.edit(later) { $0.cover = nil }
    try await sync(tablet, phone)
    #expect(try await release(phone).released.isEmpty && isThere(photo))
    #expect(try await release(tablet).released == [photo.sha256])
  }

  @Test(arguments: ["key", "long", "unknown"])
  func `a hash in any other part of an event keeps its content`(part: String) async throws {
    let phone = try await device("phone")
    let (id, photo) = try await add(noise(900), to: phone)
    let hash = photo.sha256
    let draft =
      switch part {
      case "key": EventDraft(type: "other.noted", data: [hash: 1])
      case "long":
        EventDraft(
          type: "entry.edited", entity: id.entity, data: ["title": .string("ab" + hash)])
      default: EventDraft(type: "other.noted", data: ["text": .string("of \(hash).")])
      }
    try await phone.append([draft], allowingUnknownTypes: true)
    try await phone.edit(id) {
      $0.photo = nil
      $0.title = ""
    }
    let report = try await release(phone)
    #expect(report.released.isEmpty && report.removed.isEmpty && isHere(photo, phone))
  }

  @Test(arguments: [(200, false), (400, true)])
  func `a device counts until it has written nothing for a year`(
    days: Int, isGone: Bool
  ) async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(900), to: phone)
    _ = try await add(noise(30, 2), to: tablet)
    try await sync(phone, tablet)
    clock.advance(by: .seconds(days * 86_400))
    // One clock may be wrong, so another device has to show that the year has passed.
    if isGone {
      try await phone.edit(id) { $0.title = "late" }
      #expect(try await release(phone).removed == [])
    }
    let laptop = try await device("laptop")
    _ = try await add(noise(40, 3), to: laptop)
    try await sync(laptop, phone)
    try await phone.edit(id) { $0.photo = nil }
    _ = try await release(phone)
    try await sync(laptop, phone)
    _ = try await release(laptop)
    try await sync(laptop, phone)
    let report = try await release(phone)
    #expect(report.removed == (isGone ? [photo.sha256] : []))
    #expect(isThere(photo) != isGone)
    // It names the photo, and comes back.
    _ = try await tablet.store.create(Entry.self) { $0.photo = photo }
    try await sync(tablet, phone)
    #expect(isThere(photo) && isHere(photo, phone))
  }

  @Test func `a device that names a removed content after a year gets it from one that has it`()
    async throws
  {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(2500), to: phone)
    _ = try await add(noise(30, 2), to: tablet)
    try await sync(phone, tablet)
    // The tablet has only the events, and is away from now on.
    try SystemFileSystem().remove(tablet.store.attachmentFolder.file(of: photo.sha256))
    clock.advance(by: .seconds(400 * 86_400))
    try await phone.edit(id) { $0.title = "late" }
    let laptop = try await device("laptop")
    _ = try await add(noise(40, 3), to: laptop)
    try await sync(laptop, phone)
    try await phone.edit(id) { $0.photo = nil }
    for device in [phone, laptop, phone] {
      _ = try await release(device)
      try await sync(laptop, phone)
    }
    #expect(!isThere(photo) && !isHere(photo, phone) && !isHere(photo, laptop))
    _ = try await tablet.store.create(Entry.self) { $0.photo = photo }
    for _ in 1...2 {
      for device in [tablet, phone] {
        _ = try await device.store.sync(with: ObjectRemote(cloud))
        let report = try #require(await attachments(device).sync().first)
        #expect(report.missing == [photo] && report.error == nil && report.problems.isEmpty)
      }
    }
    // A device that still has the file puts it again.
    let camera = try await device("camera")
    _ = try await add(noise(2500), to: camera)
    try await sync(camera, tablet, phone)
    #expect(isThere(photo) && isHere(photo, tablet) && isHere(photo, phone))
    let report = try await release(phone)
    #expect(report.released.isEmpty && report.removed.isEmpty && isThere(photo))
  }

  @Test func `a device with a clock that is years late isn't taken for one that is gone`()
    async throws
  {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    tablet.clock.set(to: Timestamp("2001-01-01T00:00:00Z")!)
    let (id, photo) = try await add(noise(900), to: phone)
    try await sync(phone, tablet)
    _ = try await add(noise(30, 2), to: tablet)
    try await sync(tablet, phone)
    try await phone.edit(id) { $0.photo = nil }
    let report = try await release(phone)
    #expect(report.removed.isEmpty && report.waiting.count == 1 && isThere(photo))
  }

  @Test func `a place with events that aren't here keeps its contents`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(900), to: phone)
    try await sync(phone, tablet)
    try await phone.edit(id) { $0.photo = nil }
    _ = try await phone.store.sync(with: ObjectRemote(cloud))
    _ = try await tablet.store.create(Entry.self) { $0.photo = photo }
    _ = try await tablet.store.sync(with: ObjectRemote(cloud))
    let report = try await release(phone)
    #expect(report.places.map(\.error?.code) == [.remoteFailed] && isThere(photo))
    try await sync(phone)
    #expect(isHere(photo, phone))
    #expect(try await release(phone).removed.isEmpty && isThere(photo))
  }

  @Test func `a file of the last day stays, and a plan changes nothing`() async throws {
    // The files are newer than this clock.
    let phone = try await TemporaryStore(records: Entry.self)
    let (id, photo) = try await add(noise(900), to: phone)
    try await sync(phone)
    try await phone.edit(id) { $0.photo = nil }
    let count = phone.store.snapshot.eventCount
    let plan = try await attachments(phone).release(dryRun: true)
    #expect(plan.released == [photo.sha256] && plan.recent == [photo.sha256])
    #expect(phone.store.snapshot.eventCount == count && isThere(photo))
    try await sync(phone)
    let report = try await release(phone)
    #expect(report.released == [photo.sha256] && report.recent == [photo.sha256])
    #expect(report.removed.isEmpty && isHere(photo, phone) && !isThere(photo))
  }

  @Test func `nothing goes while the journal is damaged`() async throws {
    let phone = try await device("phone")
    let (id, photo) = try await add(noise(900), to: phone)
    try await phone.edit(id) { $0.photo = nil }
    try await phone.edit(id) { $0.title = "Soup" }
    try await phone.store.close()
    var bytes = try SystemFileSystem().contents(ofFile: phone.store.path, maximumBytes: 1 << 20)
    let index = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    bytes[index + 40] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: phone.store.path))
    try await phone.reopen()
    await #expect(throws: EventLogError.self) { try await release(phone) }
    #expect(isHere(photo, phone))
  }

  @Test func `nothing is removed while a place lists an event that it doesn't deliver`()
    async throws
  {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let (id, photo) = try await add(noise(900), to: phone)
    _ = try await add(noise(30, 2), to: tablet)
    try await sync(phone, tablet)
    try await phone.edit(id) { $0.photo = nil }
    _ = try await release(phone)
    try await sync(phone, tablet)
    _ = try await add(noise(31, 3), to: tablet)
    try await sync(tablet, phone)
    _ = try await tablet.store.create(Entry.self) { $0.photo = photo }
    _ = try await tablet.store.sync(with: ObjectRemote(cloud))
    // The cloud drive has delivered only the frontier.
    let name = try #require(cloud.names.last { $0.hasPrefix("tablet") && $0.hasSuffix(".jsonl") })
    let bytes = try await cloud.read(name)
    try await cloud.remove(name)
    let report = try await release(phone)
    #expect(report.removed == [] && isHere(photo, phone) && isThere(photo))
    #expect(report.places.first?.error?.code == .remoteFailed)
    _ = try await cloud.put(name, bytes ?? [])
    try await sync(phone, tablet)
    #expect(isHere(photo, phone) && isThere(photo))
  }
}
