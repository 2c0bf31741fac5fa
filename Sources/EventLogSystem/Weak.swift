import Synchronization

/// A weak reference, for values that several threads share.
package final class Weak<Object: AnyObject & Sendable>: Sendable {
  private struct Reference {
    weak var object: Object?
  }

  private let reference: Mutex<Reference>

  package init(_ object: Object) { reference = Mutex(Reference(object: object)) }

  /// The object, or nil after its last strong reference was released.
  package var object: Object? { reference.withLock(\.object) }
}
