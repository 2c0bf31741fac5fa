import EventLog
import EventLogErasure
import EventLogRemotes
import EventLogTesting
import Testing

@testable import EventLogAttachments

/// Devices that name, replace, delete, restore, erase, sync and release at random, some of them
/// away for more than a year, also while places fail and processes end.
@Suite struct RandomReleaseTests {
  private final class World {
    let cloud = MemoryStorage(partBytes: 700)
    static let start = Timestamp("2040-01-01T00:00:00Z")!
    let clock = AdjustableClock(at: World.start)
    var devices: [TemporaryStore] = []
    /// The number of steps that a device is still away.
    var absences = [0, 0, 0]
    var contents: [Attachment: [UInt8]] = [:]
    /// The contents that some state has named, and not only a process that ended.
    var everNamed: Set<Attachment> = []
    var random: SeededRandom

    init(_ seed: UInt64) async throws {
      random = SeededRandom(seed)
      for name in ["phone", "tablet", "laptop"] {
        devices.append(
          try await TemporaryStore(
            device: name, records: Entry.self, clock: AdjustableClock(sharingTimeOf: clock),
            seed: seed))
      }
    }

    var place: MemoryStorage { cloud.nested("attachments") }

    func attachments(_ device: TemporaryStore) -> Attachments {
      Attachments(of: device.store, at: [ObjectRemote(cloud)])
    }

    func sync(_ device: TemporaryStore) async throws {
      _ = try await device.store.sync(with: ObjectRemote(cloud))
      await attachments(device).sync()
    }

    func photo(on device: TemporaryStore) async throws -> Attachment {
      let old = contents.keys.sorted { $0.sha256 < $1.sha256 }.randomElement(using: &random)
      let isNew = old == nil || Int.random(in: 0..<3, using: &random) > 0
      let bytes =
        isNew
        ? noise(Int.random(in: 2...1500, using: &random), random.next()) : contents[old!]!
      let photo = try await device.store.attach(bytes, type: "a/b")
      contents[photo] = bytes
      return photo
    }

    /// A step during which the place fails, or the process ends, at any call.
    func faultyStep() async throws {
      let count = Int.random(in: 0..<25, using: &random)
      let fault = Int.random(in: 0..<6, using: &random)
      switch fault {
      case 0: cloud.failCall(after: count / 3)
      case 1: place.failCall(after: count / 3)
      case 2: for device in devices { device.disk.crash(afterChanges: count, with: .inputOutput) }
      case 3: for device in devices { device.disk.failNextCall(after: count, with: .noSpace) }
      default: return try await step()
      }
      do { try await step() } catch is EventLogError {}
      for device in devices {
        everNamed.formUnion(device.store.snapshot.attachmentUses.map(\.attachment))
      }
      cloud.stopFailing()
      place.stopFailing()
      for device in devices { device.disk.stopFailing() }
      if fault > 1 { for device in devices { try await device.reopen() } }
      checkNothingIsLost()
    }

    /// Each content that a device names is somewhere as a whole, before any device counts as gone.
    func checkNothingIsLost() {
      guard clock.now.milliseconds - Self.start.milliseconds < 364 * 86_400_000 else { return }
      for device in devices {
        for photo in device.store.snapshot.attachmentUses.map(\.attachment) {
          let parts = place.objects.filter { $0.key.hasPrefix(photo.sha256) }
          let isThere = parts.values.reduce(0) { $0 + Int64($1.count) } == photo.bytes
          let isHeld = devices.contains { $0.store.attachmentFolder.contains(photo) }
          #expect(isThere || isHeld, "\(photo.shortHash), named by \(device.name)")
        }
      }
    }

    func step() async throws {
      let index = Int.random(in: 0..<3, using: &random)
      for other in absences.indices where absences[other] > 0 { absences[other] -= 1 }
      if absences[index] > 0 { return }
      let device = devices[index]
      let snapshot = device.store.snapshot
      let entries = snapshot.all(Entry.self)
      let entry = entries.randomElement(using: &random)
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1:
        let photo = try await photo(on: device)
        _ = try await device.store.create(Entry.self) { $0.photo = photo }
      case 2, 3:
        guard let entry else { return }
        let photo = try await photo(on: device)
        try await device.edit(entry.id) { $0.photo = photo }
      case 4:
        guard let entry else { return }
        try await device.edit(entry.id) {
          $0.photo = nil
          $0.files = []
        }
      case 5:
        // A value that this device has only received.
        guard let entry, let photo = entries.randomElement(using: &random)?.photo else { return }
        // Without its contents, a device that was away for a year can name only what is missing.
        let folder = device.store.attachmentFolder
        guard (entry.files + [photo]).allSatisfy({ folder.contains($0) }) else { return }
        try await device.edit(entry.id) { $0.files.append(photo) }
      case 6:
        if let entry { try await device.delete(entry.id) }
      case 7:
        let hidden = snapshot.entities("entry", includingDeleted: true).filter(\.isDeleted)
        guard let id = hidden.randomElement(using: &random).flatMap({ ID<Entry>($0.id.key) }) else {
          return
        }
        try await device.restore(id)
      case 8:
        if let entry { try await device.store.erase(.entity(entry.id.entity)) }
      case 9: clock.advance(by: .seconds(86_400 * Int.random(in: 1...40, using: &random)))
      case 10:
        absences[index] = Int.random(in: 5...30, using: &random)
        if Bool.random(using: &random) { clock.advance(by: .seconds(86_400 * 400)) }
      case 11, 12: try await attachments(device).release()
      default: try await sync(device)
      }
    }

    func settle() async throws {
      for device in devices + devices { try await sync(device) }
      // Contested fields keep all their values, also those of deleted entries.
      for entity in devices[0].store.snapshot.entities("entry", includingDeleted: true)
      where entity.isDeleted {
        if let id = ID<Entry>(entity.id.key) { try await devices[0].restore(id) }
      }
      let contested = devices[0].store.snapshot.conflicts.filter { $0.kind == .values }
      for conflict in contested {
        let key = String(conflict.entity.dropFirst("entry/".count))
        guard let id = ID<Entry>(key) else { continue }
        let photo = try await devices[0].store.attach(noise(9, random.next()), type: "a/b")
        try await devices[0].edit(id) {
          $0.photo = photo
          $0.files = [photo]
        }
      }
      for _ in 0..<4 {
        for device in devices {
          try await sync(device)
          try await attachments(device).release()
          try await sync(device)
        }
      }
    }
  }

  @Test(arguments: 1...24)
  func `named contents stay, and released contents go`(seed: UInt64) async throws {
    let world = try await World(seed)
    for _ in 0..<120 { try await world.step() }
    world.everNamed = Set(world.contents.keys)
    try await checkEnd(world)
  }

  @Test(arguments: 1...24)
  func `named contents stay while places fail and processes end`(seed: UInt64) async throws {
    let world = try await World(seed)
    for _ in 0..<120 { try await world.faultyStep() }
    try await checkEnd(world)
  }

  private func checkEnd(_ world: World) async throws {
    try await world.settle()
    let state = world.devices[0].store.snapshot
    let named = Set(state.attachmentUses.map(\.attachment.sha256))
    for device in world.devices {
      #expect(device.store.snapshot.frontier == state.frontier)
      for (photo, bytes) in world.contents where named.contains(photo.sha256) {
        #expect(try await world.attachments(device).content(of: photo) == bytes)
      }
    }
    #expect(state.conflicts.allSatisfy { $0.kind == .presence })
    for photo in world.everNamed where !named.contains(photo.sha256) {
      #expect(!world.place.names.contains { $0.hasPrefix(photo.sha256) })
      for device in world.devices { #expect(!device.store.attachmentFolder.contains(photo)) }
    }
  }
}
