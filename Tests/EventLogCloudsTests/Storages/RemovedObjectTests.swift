import EventLog
import EventLogRemotes
import EventLogTesting
import Synchronization
import Testing

/// Removals from a storage whose lists of changes contain no removals.
@Suite struct RemovedObjectTests {
  private final class RemovalRecordingStorage: ObjectStorage {
    private let objects = MemoryStorage()
    private let log = Mutex<(put: [String], removed: [String])>(([], []))
    let checksItself = true
    var address: String { objects.address }

    /// Returns the names of the removals since the last call.
    func takeRemovedNames() -> [String] {
      log.withLock { log in
        defer { log.removed = [] }
        return log.removed
      }
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      let isNew = try await objects.put(name, bytes)
      if isNew { log.withLock { $0.put.append(name) } }
      return isNew
    }

    func changes(
      since mark: String?
    ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? {
      let names = log.withLock(\.put)
      let new = names[(mark.flatMap { Int($0) } ?? 0)...]
      let there = objects.objects
      return (
        new.compactMap { name in
          there[name].map { StoredObject(name: name, byteCount: Int64($0.count)) }
        }, "\(names.count)"
      )
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      try await objects.list(after: name)
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      try await objects.read(name)
    }

    func remove(_ name: String) async throws(EventLogError) {
      log.withLock { $0.removed.append(name) }
      try await objects.remove(name)
    }
  }

  @Test func `an object that a sync has removed isn't removed again by later syncs`() async throws {
    let storage = RemovalRecordingStorage()
    let devices = [
      try await TemporaryStore(device: "phone", seed: 1),
      try await TemporaryStore(device: "desk", seed: 2),
    ]
    var removed: [[String]] = [[], []]
    for number in 1...20 {
      for (index, device) in devices.enumerated() {
        _ = try await device.store.append(
          [EventDraft(type: "settings.changed", data: ["font": .number(.init(Int64(number)))])],
          allowingUnknownTypes: true)
        try await device.store.sync(with: ObjectRemote(storage))
        removed[index] += storage.takeRemovedNames()
      }
    }
    for names in removed {
      #expect(names.count > 10)
      #expect(Set(names).count == names.count)
    }
  }
}
