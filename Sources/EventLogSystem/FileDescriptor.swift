/// The operating system's number for an open file.
///
/// It owns nothing: the caller that opened the file closes it, once, with ``FileSystem/close(_:)``.
/// After that, the system may reuse the number for another file.
package struct FileDescriptor: Sendable, Hashable, RawRepresentable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }
}
