import Synchronization

/// What was worked out of a catalog, once for it and all its copies.
///
/// An app opens its store, and reads it, with the same catalog again and again. What is kept here
/// must not hold the catalog itself, which would keep both forever.
final class CatalogMemo: Sendable {
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The value of this type, made now if it wasn't yet.
  func value<Value: Sendable>(_ make: () -> Value) -> Value {
    let type = ObjectIdentifier(Value.self)
    if let known = values.withLock({ $0[type] }) as? Value { return known }
    // Outside the lock: two that come at once make the same.
    let value = make()
    values.withLock { $0[type] = value }
    return value
  }
}
