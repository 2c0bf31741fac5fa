import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogAttachments

/// Power losses at each change of the disk while a content is attached, fetched or removed.
@Suite struct AttachmentPowerLossTests {
  private let bytes = noise(9000)
  private let cloud = MemoryStorage(partBytes: 3000)
  private var remotes: [any Remote] { [ObjectRemote(cloud)] }

  private var sha256: String { SHA256.digest(bytes).hexadecimal }

  /// A device whose disk can lose what isn't synced.
  private final class Device {
    let folder: TemporaryFolder
    let disk = InstrumentedFileSystem()
    let recorder: CrashRecorder
    private(set) var store: EventStore

    /// The time is later than those of the files, so that contents can be removed.
    init(_ name: String) async throws {
      folder = try TemporaryFolder()
      recorder = CrashRecorder(disk)
      let clock = AdjustableClock(at: Timestamp("2040-01-01T00:00:00Z")!)
      store = try await EventStore.open(
        path: folder.file("journal.jsonl"),
        options: .repeatable(device: name, clock: clock, fileSystem: recorder),
        catalog: SchemaCatalog().adding([Entry.self]))
    }

    var contents: AttachmentFolder { store.attachmentFolder }

    /// The possible bytes of a file after a power loss now.
    func images(_ path: String) -> [[UInt8]] {
      recorder.possibleContents(of: path, limit: 12, seed: 1)
    }

    /// Checks that a content is whole after a power loss, or missing.
    ///
    /// - Returns: Whether it is certainly there.
    func holds(_ bytes: [UInt8], _ sha256: String) -> Bool {
      let file = contents.file(of: sha256)
      #expect(images(file).allSatisfy { $0 == bytes })
      return !recorder.mayBeMissing(file)
    }
  }

  private func name(_ photo: Attachment, on device: Device) async throws -> ID<Entry> {
    try await device.store.create(Entry.self) { $0.photo = photo }.id
  }

  @Test func `an event names a content only after it is durable`() async throws {
    var (count, isDone) = (0, false)
    while !isDone {
      let device = try await Device("phone")
      device.disk.crash(afterChanges: count, with: .inputOutput)
      let photo = try? await device.store.attach(bytes, type: "a/b")
      if photo != nil { #expect(device.holds(bytes, sha256), "after \(count) changes") }
      if let photo { isDone = (try? await name(photo, on: device)) != nil }
      let isThere = device.holds(bytes, sha256)
      let isNamed = device.images(device.store.path).contains { $0.containsBytes(of: sha256) }
      #expect(isThere || !isNamed, "after \(count) changes")
      device.disk.stopFailing()
      let again = AttachmentFolder(beside: device.store.path)
      let other = try again.store(bytes, type: "a/b", options: .init())
      #expect(try again.content(of: other) == bytes)
      count += 1
    }
    #expect(count > 8)
  }

  @Test func `a content whose fetching lost power is fetched whole`() async throws {
    let (phone, laptop) = (try await Device("phone"), try await Device("laptop"))
    let photo = try await phone.store.attach(bytes, type: "a/b")
    _ = try await name(photo, on: phone)
    _ = try await phone.store.sync(with: remotes[0])
    await Attachments(of: phone.store, at: remotes).sync()
    _ = try await laptop.store.sync(with: remotes[0])
    var (count, isDone) = (0, false)
    while !isDone {
      let tablet = try await Device("tablet")
      _ = try await tablet.store.sync(with: remotes[0])
      tablet.disk.crash(afterChanges: count, with: .inputOutput)
      isDone = await Attachments(of: tablet.store, at: remotes).sync().first?.received == [photo]
      #expect(tablet.holds(bytes, sha256) || !isDone, "after \(count) changes")
      tablet.disk.stopFailing()
      let part = tablet.contents.partialFile(of: sha256)
      for image in tablet.images(part) { try await resume(photo, image, on: laptop) }
      count += 1
    }
    #expect(count > 8)
  }

  /// Fetches a content on a device that a power loss has left with a part of it.
  private func resume(_ photo: Attachment, _ image: [UInt8], on device: Device) async throws {
    let folder = AttachmentFolder(beside: device.store.path)
    try? FileManager.default.removeItem(atPath: folder.path)
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let part = folder.partialFile(of: photo.sha256)
    try Data(image).write(to: URL(fileURLWithPath: part))
    let copies = Attachments(of: device.store, at: remotes)
    let report = await copies.sync().first
    #expect(try folder.damaged().isEmpty)
    // Lost bytes show at the end, and the next sync fetches all of them.
    if report?.received != [photo] {
      #expect(report?.problems.map(\.code) == [.damaged])
      #expect(await copies.sync().first?.received == [photo])
    }
    #expect(try folder.content(of: photo) == bytes)
    #expect(try SystemFileSystem().contents(of: folder.path) == [photo.sha256])
  }

  @Test func `a content whose removal lost power is whole or gone, and the others stay`()
    async throws
  {
    let other = noise(5000, 2)
    var (count, isDone) = (0, false)
    while !isDone {
      let device = try await Device("phone")
      let kept = try await device.store.attach(other, type: "a/b")
      _ = try await name(kept, on: device)
      let id = try await name(try await device.store.attach(bytes, type: "a/b"), on: device)
      _ = try await device.store.edit(id) { $0.photo = nil }
      device.disk.crash(afterChanges: count, with: .inputOutput)
      let report = try? await Attachments(of: device.store).release()
      isDone = report?.removed == [sha256] && report?.problems.isEmpty == true
      let isThere = device.holds(bytes, sha256)
      #expect(isDone ? device.images(device.contents.file(of: sha256)).isEmpty : true)
      #expect(device.holds(other, kept.sha256), "after \(count) changes")
      // Without a durable statement, the content is still needed.
      let isReleased = device.images(device.store.path).allSatisfy {
        $0.containsBytes(of: "content.released")
      }
      #expect(isThere || isReleased, "after \(count) changes")
      device.disk.stopFailing()
      count += 1
    }
    #expect(count > 3)
  }
}
