package import EventLog
package import EventLogRemotes
import Synchronization

/// An object storage that shows some objects late, halved, twice, or only in listings.
///
/// They depend on the seed and the object's name, so they stay the same within a run. A device
/// reads its own new objects whole: only those of other devices may still be on their way.
package final class UnreliableStorage: ObjectStorage {
  private let base: any ObjectStorage
  private let mishap: SimulatedAction.ObjectMishap
  private let callCount = Mutex(0)
  /// The names of the objects put in this run.
  private let ownNames = Mutex(Set<String>())

  package var address: String { base.address }

  /// The suffix of a duplicate's name.
  private static let addition = " 2"

  package init(_ base: any ObjectStorage, _ mishap: SimulatedAction.ObjectMishap) {
    self.base = base
    self.mishap = mishap
  }

  package func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try reach()
    let isPut = try await base.put(name, bytes)
    if isPut { ownNames.withLock { _ = $0.insert(name) } }
    return isPut
  }

  package func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try reach()
    var last = name
    while true {
      let objects = try await base.list(after: last)
      guard let end = objects.last else { return [] }
      let shown = objects.flatMap(shown).filter { object in
        name.map { $0.precedes(object.name) } ?? true
      }
      if !shown.isEmpty { return shown }
      last = end.name
    }
  }

  private func shown(_ object: StoredObject) -> [StoredObject] {
    guard isConcerned(object.name) else { return [object] }
    switch mishap {
    case .vanishing, .unreachable: return [object]
    case .late: return []
    case .halved: return [StoredObject(name: object.name, byteCount: object.byteCount / 2)]
    case .doubled:
      // Listings are in byte order: the suffix's space precedes a dot.
      let copy = StoredObject(name: Self.copy(of: object.name), byteCount: object.byteCount)
      return [copy, object]
    }
  }

  package func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try reach()
    if case .doubled = mishap, let original = Self.original(of: name) {
      return try await base.read(original)
    }
    guard let bytes = try await base.read(name) else { return nil }
    guard isConcerned(name) else { return bytes }
    switch mishap {
    case .doubled, .unreachable: return bytes
    case .late, .vanishing: return nil
    case .halved: return Array(bytes[..<(bytes.count / 2)])
    }
  }

  package func remove(_ name: String) async throws(EventLogError) {
    try reach()
    // A duplicate exists as long as its original.
    if Self.original(of: name) == nil { try await base.remove(name) }
  }

  private func reach() throws(EventLogError) {
    guard case .unreachable(let limit) = mishap else { return }
    let count = callCount.withLock { count in
      count += 1
      return count
    }
    if count > limit {
      throw EventLogError(remoteFailed: "\"\(address)\" does not answer.", hint: "Try again.")
    }
  }

  private func isConcerned(_ name: String) -> Bool {
    let seed: UInt64
    switch mishap {
    case .unreachable: return false
    case .halved(let value), .vanishing(let value):
      if ownNames.withLock({ $0.contains(name) }) { return false }
      seed = value
    case .late(let value), .doubled(let value):
      seed = value
    }
    var random = SplitMix64(
      seed: name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    return random.next() % 3 == 0
  }

  private static func copy(of name: String) -> String {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    return String(name[..<dot]) + addition + String(name[dot...])
  }

  private static func original(of name: String) -> String? {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    guard name[..<dot].hasSuffix(addition) else { return nil }
    return String(name[..<dot].dropLast(addition.count)) + String(name[dot...])
  }
}
