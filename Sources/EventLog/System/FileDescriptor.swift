// A handle on an open file; a number, so it can be copied, compared and sent.

/// A number by which the operating system knows an open file.
///
/// It owns nothing: whoever opened it closes it, once, with ``FileSystem/close(_:)``. After that
/// the system gives the same number to another file.
package struct FileDescriptor: Sendable, Hashable, RawRepresentable {
  /// The number, as C functions take it.
  package let rawValue: CInt

  /// Wraps the number of a file that is open.
  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }
}
