import EventLog
import EventLogCollections
import EventLogErasure
import EventLogRemotes
import EventLogTesting
import Testing

/// Erased events at a folder whose copies bring together the work of several devices.
@Suite struct ObjectErasureTests {
  private let phone: TemporaryStore
  private let tablet: TemporaryStore
  private let laptop: TemporaryStore
  /// The copies of the folder on the devices that erased something.
  private let left = MemoryStorage()
  private let right = MemoryStorage()
  /// The objects before anything was erased.
  private let original: [String: [UInt8]]

  /// The tablet erases the walk, the laptop the run, and neither knows of the other.
  init() async throws {
    let cloud = MemoryStorage()
    var devices: [TemporaryStore] = []
    for name in ["phone", "tablet", "laptop"] {
      let device = try await TemporaryStore(device: name, catalog: .standard)
      if devices.isEmpty {
        for name in ["walk", "run"] {
          _ = try await device.append([
            EventDraft(
              type: "habit.created", entity: EntityID("habit/\(name)")!,
              data: ["name": .string("the \(name)")])
          ])
        }
      }
      try await device.sync(with: Self.remote(cloud))
      devices.append(device)
    }
    (phone, tablet, laptop) = (devices[0], devices[1], devices[2])
    original = cloud.objects
    for (device, name, copy) in [(tablet, "walk", left), (laptop, "run", right)] {
      copy.objects = original
      try await device.store.erase(.entity(EntityID("habit/\(name)")!))
      try await device.sync(with: Self.remote(copy))
    }
  }

  private static func remote(_ storage: MemoryStorage) -> ObjectRemote {
    ObjectRemote(storage, random: .seeded(1))
  }

  /// The phone's object in a copy, and its text.
  private func object(in storage: MemoryStorage) throws -> (name: String, text: String) {
    let id = try #require(phone.deviceID).text
    let objects = storage.objects.filter { $0.key.hasPrefix("\(id)_1-") }
    let object = try #require(objects.count == 1 ? objects.first : nil)
    return (object.key, String(decoding: object.value, as: UTF8.self))
  }

  /// Syncs a device that knows only of the laptop's erasure, and then of both.
  private func check(_ copy: MemoryStorage) async throws {
    let desktop = try await TemporaryStore(device: "desktop", catalog: .standard)
    try await desktop.sync(with: Self.remote(copy))
    let (name, text) = try object(in: copy)
    #expect(name == (try object(in: right).name))
    #expect(text.contains("the walk") && !text.contains("the run"))
    copy.objects.merge(left.objects) { first, _ in first }
    for _ in 1...2 { try await desktop.sync(with: Self.remote(copy)) }
    try await tablet.sync(with: Self.remote(copy))
    for device in [desktop, tablet] {
      var proof = try ErasureProof(device.journal, lookingFor: ["the walk", "the run"])
      try await proof.search(Self.remote(copy))
      #expect(proof.erasedCount == 2 && proof.remainders == [])
    }
    #expect(desktop.snapshot.json() == tablet.snapshot.json())
  }

  @Test func `an object with other erased events is replaced by one that has its name`()
    async throws
  {
    let (name, _) = try object(in: left)
    let copy = MemoryStorage()
    copy.objects = right.objects
    copy.objects[name] = left.objects[name]
    try await check(copy)
  }

  @Test func `an event that is still whole replaces its erased form, which nothing here explains`()
    async throws
  {
    let (name, text) = try object(in: right)
    let whole = text.split(separator: "\n")
    let erased = try object(in: left).text.split(separator: "\n")
    let copy = MemoryStorage()
    copy.objects = right.objects.merging(original) { first, _ in first }
    copy.objects[name] = whole.indices.flatMap { index in
      Array("\(whole[index].contains("the walk") ? erased[index] : whole[index])\n".utf8)
    }
    try await check(copy)
  }
}
