import EventLog
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogAttachments

/// Devices that attach and sync while their disks and the place fail at random.
@Suite struct AttachmentChaosTests {
  private final class World {
    let cloud = MemoryStorage(partBytes: 700)
    var devices: [TemporaryStore] = []
    var contents: [Attachment: [UInt8]] = [:]
    var random: SeededRandom

    init(_ seed: UInt64) async throws {
      random = SeededRandom(seed)
      for name in ["phone", "tablet", "laptop"] {
        devices.append(try await TemporaryStore(device: name, records: Entry.self, seed: seed))
      }
    }

    var place: MemoryStorage { cloud.nested("attachments") }

    func attachments(_ device: TemporaryStore) -> Attachments {
      Attachments(of: device.store, at: [ObjectRemote(cloud)])
    }

    func step() async throws {
      let device = devices.randomElement(using: &random)!
      let callCount = Int.random(in: 0..<12, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try await add(to: device)
      case 1: _ = try? await device.store.sync(with: ObjectRemote(cloud))
      case 2:
        place.failCall(after: callCount)
        await attachments(device).sync()
        place.stopFailing()
      case 3:
        let error = [Errno.noSpace, .inputOutput].randomElement(using: &random)!
        device.disk.failNextCall(after: callCount, with: error)
        await attachments(device).sync()
        device.disk.stopFailing()
      case 4:
        let copies = attachments(device)
        let work = Task { await copies.sync() }
        for _ in 0..<callCount { await Task.yield() }
        work.cancel()
        _ = await work.value
      default:
        guard let name = place.names.randomElement(using: &random) else { return }
        try await place.remove(name)
      }
      for device in devices { #expect(try device.store.attachmentFolder.damaged().isEmpty) }
    }

    private func add(to device: TemporaryStore) async throws {
      let count = [0, 1, 700, 701, 3000].randomElement(using: &random)!
      let bytes = Array(noise(count, random.next() % 50).prefix(count))
      device.disk.failNextCall(after: Int.random(in: 0..<20, using: &random), with: .inputOutput)
      let photo = try? await device.store.attach(bytes, type: "a/b")
      device.disk.stopFailing()
      guard let photo else { return }
      contents[photo] = bytes
      _ = try await device.store.create(Entry.self) { $0.photo = photo }
    }

    func checkEnd() async throws {
      for _ in 0..<3 {
        for device in devices {
          _ = try await device.store.sync(with: ObjectRemote(cloud))
          let reports = await attachments(device).sync()
          #expect(reports.allSatisfy { $0.error == nil && $0.problems.isEmpty })
        }
      }
      for device in devices {
        for (photo, bytes) in contents {
          #expect(try await attachments(device).content(of: photo) == bytes)
        }
        let names = try SystemFileSystem().contents(of: device.store.attachmentFolder.path)
        // A content also stays if only the last sync of its folder failed.
        #expect(Set(names).isSuperset(of: contents.keys.map(\.sha256)))
        #expect(names.allSatisfy(ContentHashes.isHash))
      }
    }
  }

  @Test(arguments: 1...12)
  func `every named content ends on every device, byte for byte`(seed: UInt64) async throws {
    let world = try await World(seed)
    for _ in 0..<60 { try await world.step() }
    try await world.checkEnd()
  }
}
