/// Stores a value in an allocation of its own, which copies share until one of them changes.
///
/// A large value whose members are boxed is copied, moved and destroyed by a few instructions.
/// Reading a member costs one more load, and changing it a uniqueness check.
@propertyWrapper
package struct Boxed<Value> {
  fileprivate final class Storage {
    // The box is accessed only through its owner, whose exclusivity is checked.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  package var wrappedValue: Value {
    @inline(__always)
    _read { yield storage.value }
    @inline(__always)
    _modify {
      if !isKnownUniquelyReferenced(&storage) { unshare() }
      yield &storage.value
    }
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage.value = newValue
      } else {
        storage = Storage(newValue)
      }
    }
  }

  @inline(never)
  private mutating func unshare() { storage = Storage(storage.value) }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed.Storage: @unchecked Sendable where Value: Sendable {}
