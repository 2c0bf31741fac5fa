import EventLog
import EventLogRemotes
import Synchronization

/// A folder with a copy on each device, like those of file synchronization programs.
///
/// Changes reach the other copies eventually, one by one and in any order.
final class ReplicatedFolder: Sendable {
  /// The newest change to a name, with its bytes, or nil if it was removed.
  fileprivate struct Entry: Sendable {
    var version: Int
    var bytes: [UInt8]?
  }

  private let copies: [Copy]

  var copyCount: Int { copies.count }

  init(copyCount: Int) { copies = (0..<copyCount).map { Copy(number: $0) } }

  func storage(of device: Int) -> any ObjectStorage { copies[device] }

  /// The contents of all range files in all copies.
  var ranges: [[UInt8]] {
    copies.flatMap { copy in
      copy.entries.withLock { entries in
        entries.filter { $0.key.hasSuffix(".jsonl") }.compactMap(\.value.bytes)
      }
    }
  }

  /// Delivers some changes from some copies to others.
  func deliver(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for source in copies {
      for target in copies where target !== source && Bool.random(using: &random) {
        let entries = source.entries.withLock { $0 }
        for name in entries.keys.sorted() where random.next() % 3 != 0 {
          target.take(name, entries[name]!)
        }
      }
    }
  }

  func deliverAll() {
    for _ in 0..<2 {
      for source in copies {
        for (name, entry) in source.entries.withLock({ $0 }) {
          for target in copies where target !== source { target.take(name, entry) }
        }
      }
    }
  }

  fileprivate final class Copy: ObjectStorage {
    let entries = Mutex<[String: Entry]>([:])
    private let number: Int

    var address: String { "copy\(number)" }

    init(number: Int) { self.number = number }

    /// Applies a newer change; among concurrent changes, a write wins over a removal.
    func take(_ name: String, _ entry: Entry) {
      entries.withLock { entries in
        guard let own = entries[name] else {
          entries[name] = entry
          return
        }
        if (entry.version, entry.bytes == nil ? 0 : 1) > (own.version, own.bytes == nil ? 0 : 1) {
          entries[name] = entry
        }
      }
    }

    private func change(_ name: String, to bytes: [UInt8]?) {
      entries.withLock { entries in
        entries[name] = Entry(version: (entries[name]?.version ?? 0) + 1, bytes: bytes)
      }
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
      if entries.withLock({ $0[name]?.bytes != nil }) { return false }
      change(name, to: bytes)
      return true
    }

    func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
      entries.withLock { entries in
        entries.compactMap { entry in
          entry.value.bytes.map { StoredObject(name: entry.key, byteCount: Int64($0.count)) }
        }
      }
      .filter { object in
        name.map { $0.precedes(object.name) } ?? true
      }
      .sorted { $0.name.precedes($1.name) }
    }

    func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
      entries.withLock { $0[name]?.bytes }
    }

    func remove(_ name: String) async throws(EventLogError) {
      if entries.withLock({ $0[name]?.bytes != nil }) { change(name, to: nil) }
    }
  }
}
