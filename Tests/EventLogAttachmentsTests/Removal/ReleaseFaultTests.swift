import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogAttachments

/// Removals that end at any call of the disk or the place.
@Suite struct ReleaseFaultTests {
  private struct Scene {
    let phone: TemporaryStore
    let tablet: TemporaryStore
    let cloud: MemoryStorage
    /// Named on both devices.
    let kept: Attachment
    /// Replaced and released, and seen by both devices.
    let gone: [Attachment]

    var remote: ObjectRemote { ObjectRemote(cloud) }
    var place: MemoryStorage { cloud.nested("attachments") }

    func attachments(_ device: TemporaryStore) -> Attachments {
      Attachments(of: device.store, at: [remote])
    }

    func sync() async throws {
      for device in [phone, tablet, phone] {
        _ = try await device.store.sync(with: remote)
        await attachments(device).sync()
      }
    }

    /// Two photos that the next call may remove, and one that is named.
    init() async throws {
      // Later than the times of the files, which are those of the system.
      let clock = AdjustableClock(at: Timestamp("2040-01-01T00:00:00Z")!)
      phone = try await TemporaryStore(
        device: "phone", records: Entry.self, clock: AdjustableClock(sharingTimeOf: clock))
      tablet = try await TemporaryStore(
        device: "tablet", records: Entry.self, clock: AdjustableClock(sharingTimeOf: clock))
      cloud = MemoryStorage(partBytes: 1000)
      var photos: [Attachment] = []
      for seed in 1...3 {
        photos.append(try await phone.store.attach(noise(1500, UInt64(seed)), type: "a/b"))
      }
      (kept, gone) = (photos[0], Array(photos[1...]))
      let all = photos
      _ = try await tablet.store.create(Entry.self) { $0.title = "first" }
      let id = try await phone.store.create(Entry.self) { $0.files = all }.id
      try await sync()
      let kept = kept
      _ = try await phone.store.edit(id) { $0.files = [kept] }
      try await attachments(phone).release()
      try await sync()
      _ = try await tablet.store.create(Entry.self) { $0.title = "seen" }
      try await sync()
    }

    func checkEnd() async throws {
      try await sync()
      for device in [phone, tablet] {
        try await attachments(device).release()
        try await sync()
      }
      for device in [phone, tablet] {
        #expect(try await attachments(device).content(of: kept) == noise(1500, 1))
        #expect(try device.store.attachmentFolder.contents().map(\.sha256) == [kept.sha256])
        #expect(Set(device.store.snapshot.attachmentUses.map(\.attachment)) == [kept])
      }
      #expect(Set(place.names.map { String($0.prefix(64)) }) == [kept.sha256])
    }
  }

  @Test func `a removal that ends at any change of the disk is completed by the next one`()
    async throws
  {
    var hasFinished = false
    for count in 0..<60 {
      let scene = try await Scene()
      scene.phone.disk.crash(afterChanges: count, with: .inputOutput)
      let report = try? await scene.attachments(scene.phone).release()
      scene.phone.disk.stopFailing()
      try await scene.phone.reopen()
      #expect(scene.phone.store.attachmentFolder.contains(scene.kept))
      try await scene.checkEnd()
      hasFinished = report?.removed.count == 2 && report?.problems.isEmpty == true
      if hasFinished { break }
    }
    #expect(hasFinished)
  }

  @Test func `a removal that fails at any call of the place is completed by the next one`()
    async throws
  {
    for count in 0..<10 {
      let scene = try await Scene()
      scene.place.failCall(after: count)
      let report = try await scene.attachments(scene.phone).release()
      scene.place.stopFailing()
      #expect((report.places.first?.error == nil) == (count > 5))
      // Nothing goes here before the place has been looked at as a whole.
      if report.places.first?.error != nil { #expect(report.removed.isEmpty) }
      try await scene.checkEnd()
    }
  }

  @Test func `a place whose events can't be read keeps all contents`() async throws {
    for count in 0..<3 {
      let scene = try await Scene()
      scene.cloud.failCall(after: count)
      let report = try await scene.attachments(scene.phone).release()
      scene.cloud.stopFailing()
      #expect(report.places.first?.error?.code == .remoteFailed && report.removed.isEmpty)
      try await scene.checkEnd()
    }
  }
}
