/// A part of an image that may still contain a position.
package struct ImageFault: Error, Equatable, Sendable {
  package enum Kind: Sendable {
    /// A part isn't of its format, and may contain anything.
    case unreadable
    /// A part is, or may be, a position that no edit of the same length can remove.
    case irremovable
  }

  package var kind: Kind
  /// An offset in the file.
  package var offset: Int64
  /// The reason, as the end of a sentence: `a segment is longer than the file`.
  package var reason: String
}
