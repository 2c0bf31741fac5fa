import Synchronization

/// A reference that keeps nothing alive, for values that several threads share.
final class Weak<Object: AnyObject & Sendable>: Sendable {
  private struct Reference {
    weak var object: Object?
  }

  private let reference: Mutex<Reference>

  init(_ object: Object) { reference = Mutex(Reference(object: object)) }

  /// The object, as long as somebody else keeps it.
  var object: Object? { reference.withLock(\.object) }
}
