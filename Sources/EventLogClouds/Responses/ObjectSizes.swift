import Synchronization

/// A cache of object sizes, from which a storage derives an object's number of parts.
final class ObjectSizes: Sendable {
  private let sizes = Mutex<[String: Int64]>([:])

  subscript(name: String) -> Int64? {
    get { sizes.withLock { $0[name] } }
    set { sizes.withLock { $0[name] = newValue } }
  }

  func add(_ newer: [String: Int64]) {
    sizes.withLock { $0.merge(newer) { $1 } }
  }
}
