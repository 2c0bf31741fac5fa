import Synchronization

/// Values derived from a catalog, computed once for it and all its copies.
///
/// An app opens and reads its store with the same catalog again and again. The values must not
/// contain the catalog itself: that would be a retain cycle.
final class CatalogMemo: Sendable {
  /// The rules of the event types that were appended, each made for its first event.
  let rules = Mutex<[String: EventTypeRules]>([:])
  private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// The value of this type, computed if it isn't cached yet.
  func value<Value: Sendable>(_ make: () -> Value) -> Value {
    let type = ObjectIdentifier(Value.self)
    if let known = values.withLock({ $0[type] }) as? Value { return known }
    // Outside the lock: concurrent calls compute equal values.
    let value = make()
    values.withLock { $0[type] = value }
    return value
  }
}
