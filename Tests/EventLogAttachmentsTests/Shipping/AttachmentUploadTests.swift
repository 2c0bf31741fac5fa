import EventLog
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLogAttachments

/// Uploads of damaged contents, and of contents of which a place already has parts.
@Suite struct AttachmentUploadTests {
  private let cloud = MemoryStorage(partBytes: 1000)
  private var place: MemoryStorage { cloud.nested("attachments") }
  private var remote: ObjectRemote { ObjectRemote(cloud) }

  private func device(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, records: Entry.self)
  }

  private func add(_ bytes: [UInt8], to device: TemporaryStore) async throws -> Attachment {
    let photo = try await device.store.attach(bytes, type: "a/b")
    _ = try await device.store.create(Entry.self) { $0.photo = photo }
    return photo
  }

  /// Changes a byte of the content here.
  private func damage(_ photo: Attachment, _ index: Int, on device: TemporaryStore) throws {
    let file = device.store.attachmentFolder.file(of: photo.sha256)
    var bytes = try SystemFileSystem().contents(ofFile: file, maximumBytes: 1 << 20)
    bytes[index] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: file))
  }

  @discardableResult
  private func sync(
    _ device: TemporaryStore, with remote: (any Remote)? = nil
  ) async throws -> AttachmentReport {
    let attachments = Attachments(of: device.store, at: [remote ?? self.remote])
    return try #require(await attachments.sync().first)
  }

  /// The parts of a content by their names, as a device with a sound copy puts them.
  private func parts(_ photo: Attachment, _ bytes: [UInt8]) -> [String: [UInt8]] {
    let offsets = stride(from: 0, to: bytes.count, by: 1000)
    return Dictionary(
      uniqueKeysWithValues: offsets.map { offset in
        let part = AttachmentPart(photo.sha256, at: Int64(offset))
        return (part.name, Array(bytes[offset..<min(offset + 1000, bytes.count)]))
      })
  }

  /// Checks that the place has all parts of a content only if it has its bytes.
  private static func check(_ photo: Attachment, at place: MemoryStorage) async {
    guard let listing = try? await AttachmentListing(of: place),
      listing.isWhole(photo)
    else { return }
    var (hash, start) = (SHA256(), Int64(0))
    for end in listing.ends(of: photo) {
      hash.add(place.objects[AttachmentPart(photo.sha256, at: start).name] ?? [])
      start = end
    }
    #expect(hash.finish().hexadecimal == photo.sha256)
  }

  /// A remote that checks the place before each call.
  private func checked(_ photo: Attachment) -> ObjectRemote {
    let place = place
    return ObjectRemote(WatchedStorage(cloud) { _ in await Self.check(photo, at: place) })
  }

  // MARK: - Damaged contents

  @Test(
    arguments: [
      (1, 0), (1000, 999), (1001, 0), (1001, 1000), (2500, 0), (2500, 1500), (2500, 2499),
      (5000, 4999),
    ])
  func `a content that is damaged here is never whole at a place`(
    count: Int, index: Int
  ) async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(count, 3), to: phone)
    try damage(photo, index, on: phone)
    let report = try await sync(phone, with: checked(photo))
    #expect(report.problems.map(\.code) == [.damaged] && report.sent.isEmpty)
    #expect(report.error == nil)
    #expect(place.names.count == (count - 1) / 1000)
    #expect(try await AttachmentListing(of: place).isWhole(photo) == false)
    // The original repairs it.
    _ = try await phone.store.attach(noise(count, 3), type: "a/b")
    #expect(try await sync(phone, with: checked(photo)).sent == [photo])
    #expect(place.objects == parts(photo, noise(count, 3)))
  }

  @Test(arguments: [0, 1500, 5400], [0, 1, 2, 3, 4, 5, 6, 7, 8])
  func `a device with a sound copy completes a damaged content whose upload ended at any call`(
    index: Int, callCount: Int
  ) async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let laptop = try await device("laptop")
    let photo = try await add(noise(5500), to: phone)
    _ = try await add(noise(5500), to: tablet)
    try damage(photo, index, on: phone)
    // The listing of an empty place takes one call.
    place.failCall(after: 1 + callCount)
    try await sync(phone, with: checked(photo))
    place.stopFailing()
    #expect(try await sync(tablet, with: checked(photo)).sent == [photo])
    #expect(place.objects == parts(photo, noise(5500)))
    _ = try await tablet.store.sync(with: remote)
    _ = try await laptop.store.sync(with: remote)
    #expect(try await sync(laptop).received == [photo])
  }

  @Test func `a content that changes while it is sent is whole at a place only with its bytes`()
    async throws
  {
    var codes: [EventLogError.Code?] = []
    for count in 0..<30 {
      let phone = try await device("phone")
      let photo = try await add(noise(5500, UInt64(count)), to: phone)
      let file = phone.store.attachmentFolder.file(of: photo.sha256)
      phone.disk.interrupt(after: count) {
        let handle = try? FileHandle(forUpdating: URL(fileURLWithPath: file))
        try? handle?.seek(toOffset: 0)
        try? handle?.write(contentsOf: Data(noise(5500, 99)))
        try? handle?.close()
      }
      let report = try await sync(phone, with: checked(photo))
      #expect(report.error == nil && report.problems.allSatisfy { $0.code == .damaged })
      codes.append(report.problems.first?.code)
    }
    #expect(codes.contains(.damaged) && codes.contains(nil))
  }

  // MARK: - Parts that are there

  @Test(arguments: [[0], [1], [2], [0, 2], [0, 1], [1, 2]])
  func `parts at a place that differ are replaced before the content is whole`(
    places: [Int]
  ) async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(2500), to: phone)
    _ = try await add(noise(2500), to: tablet)
    let sound = parts(photo, noise(2500))
    for index in places {
      let name = AttachmentPart(photo.sha256, at: Int64(index) * 1000).name
      place.objects[name] = noise(sound[name]!.count, 9)
    }
    try damage(photo, 2000, on: tablet)
    let refused = try await sync(tablet, with: checked(photo))
    #expect(refused.problems.map(\.code) == [.damaged])
    #expect(try await sync(phone, with: checked(photo)).sent == [photo])
    #expect(place.objects == sound)
  }

  @Test func `parts of other sizes that differ are replaced`() async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(2500), to: phone)
    place.objects[AttachmentPart(photo.sha256, at: 0).name] = noise(300, 9)
    place.objects[AttachmentPart(photo.sha256, at: 300).name] = Array(noise(2500)[300..<2000])
    #expect(try await sync(phone, with: checked(photo)).sent == [photo])
    #expect(place.names.count == 4)
    await Self.check(photo, at: place)
  }

  @Test(arguments: [false, true])
  func `two devices that send a content at once complete it`(isDamaged: Bool) async throws {
    for number in 0..<40 {
      let (cloud, phone) = (MemoryStorage(partBytes: 1000), try await device("phone"))
      let (place, tablet) = (cloud.nested("attachments"), try await device("tablet"))
      let photo = try await add(noise(5500), to: phone)
      _ = try await add(noise(5500), to: tablet)
      if isDamaged { try damage(photo, 500, on: phone) }
      let watched = WatchedStorage(cloud) { call in
        await Self.check(photo, at: place)
        guard call == number else { return }
        let report = await Attachments(of: tablet.store, at: [ObjectRemote(cloud)]).sync().first
        #expect(report?.error == nil && report?.problems.isEmpty == true)
        // Later calls of the phone must not leave a gap.
        #expect(place.objects == parts(photo, noise(5500)), "call \(number)")
      }
      let report = try await sync(phone, with: ObjectRemote(watched))
      #expect(report.error == nil && report.problems.allSatisfy { $0.code == .damaged })
      #expect(isDamaged || report.problems.isEmpty)
      let isSent = number < 6 || !isDamaged
      if !isSent { await Attachments(of: tablet.store, at: [ObjectRemote(cloud)]).sync() }
      #expect(place.objects == parts(photo, noise(5500)), "call \(number)")
    }
  }

  @Test func `a resumed upload reads back only parts that another device has put`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet"))
    let photo = try await add(noise(5500), to: phone)
    _ = try await add(noise(5500), to: tablet)
    place.failCall(after: 1 + 4)
    try await sync(phone)
    place.stopFailing()
    #expect(place.names.count == 4)
    let objects = place.objects
    var calls = place.callCount
    #expect(try await sync(phone).sent == [photo])
    #expect(place.callCount == calls + 2 + 2)
    place.objects = objects
    calls = place.callCount
    #expect(try await sync(tablet).sent == [photo])
    #expect(place.callCount == calls + 2 + 4 + 2)
    // The content was whole, so the phone trusts no part any more.
    place.objects = objects
    calls = place.callCount
    #expect(try await sync(phone).sent == [photo])
    #expect(place.callCount == calls + 2 + 4 + 2)
  }

  @Test func `a part that was gone from a place is read back when it is there again`()
    async throws
  {
    let phone = try await device("phone")
    let photo = try await add(noise(5500), to: phone)
    place.failCall(after: 1 + 4)
    try await sync(phone)
    place.objects = [:]
    place.failCall(after: 1)
    try await sync(phone)
    place.stopFailing()
    // A device with a damaged copy has put as many.
    var damaged = noise(5500)
    damaged[0] ^= 1
    place.objects = parts(photo, damaged)
    for offset: Int64 in [4000, 5000] {
      place.objects[AttachmentPart(photo.sha256, at: offset).name] = nil
    }
    #expect(try await sync(phone, with: checked(photo)).sent == [photo])
    #expect(place.objects == parts(photo, noise(5500)))
  }

  @Test func `a part that can't be read back is replaced`() async throws {
    let phone = try await device("phone")
    let photo = try await add(noise(2500), to: phone)
    let name = AttachmentPart(photo.sha256, at: 1000).name
    place.objects = parts(photo, noise(2500))
    try await place.remove(AttachmentPart(photo.sha256, at: 2000).name)
    place.objects[name] = []
    #expect(try await sync(phone, with: checked(photo)).sent == [photo])
    #expect(place.objects == parts(photo, noise(2500)))
  }
}
