import Synchronization

/// The sizes of objects, as they were listed or put: they tell how many parts an object has, where
/// a long one is kept in several.
final class KnownSizes: Sendable {
  private let sizes = Mutex<[String: Int64]>([:])

  subscript(name: String) -> Int64? {
    get { sizes.withLock { $0[name] } }
    set { sizes.withLock { $0[name] = newValue } }
  }

  func add(_ newer: [String: Int64]) {
    sizes.withLock { $0.merge(newer) { $1 } }
  }
}
