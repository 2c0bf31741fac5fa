#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

/// An error number of the operating system.
///
/// The library repeats interrupted system calls, so it never throws ``interrupted``.
public struct Errno: Error, Sendable, Hashable, RawRepresentable, CustomStringConvertible {
  /// The number, as in C's `errno`.
  public let rawValue: CInt

  /// Creates an error from its number.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The system's description of the error, such as "No space left on device".
  ///
  /// The description is that of the C function `strerror_r`.
  public var description: String {
    systemMessage(ofError: rawValue)
  }

  /// The value of C's `errno` for this thread.
  package static var current: Errno {
    Errno(rawValue: errno)
  }
}

extension Errno {
  /// The file or folder doesn't exist (`ENOENT`).
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// A file or folder with this name already exists (`EEXIST`).
  public static let exists = Errno(rawValue: EEXIST)
  /// Permission is denied (`EACCES`).
  public static let permissionDenied = Errno(rawValue: EACCES)
  /// The operation is not permitted (`EPERM`).
  public static let notPermitted = Errno(rawValue: EPERM)
  /// The file is a folder (`EISDIR`).
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// The file is not a folder (`ENOTDIR`).
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// The folder is not empty (`ENOTEMPTY`).
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// No space is left on the device (`ENOSPC`).
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// The user's disk quota is exceeded (`EDQUOT`).
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// The file is too large (`EFBIG`).
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  /// The file system is read-only (`EROFS`).
  public static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// The call would have to wait (`EWOULDBLOCK`, the same as `EAGAIN`).
  public static let wouldBlock = Errno(rawValue: EWOULDBLOCK)
  /// A signal interrupted the call (`EINTR`).
  public static let interrupted = Errno(rawValue: EINTR)
  /// The device failed (`EIO`).
  public static let inputOutput = Errno(rawValue: EIO)
  /// The other end of the pipe is closed (`EPIPE`).
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// The operation timed out (`ETIMEDOUT`).
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// The operation was canceled (`ECANCELED`).
  public static let canceled = Errno(rawValue: ECANCELED)
  /// The process has too many open files (`EMFILE`).
  public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// The name or path is too long (`ENAMETOOLONG`).
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// The file system doesn't support the operation (`ENOTSUP`).
  public static let notSupported = Errno(rawValue: ENOTSUP)
  /// An argument is invalid (`EINVAL`).
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// The descriptor is not open, or not open for this operation (`EBADF`).
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// The path contains too many symbolic links (`ELOOP`).
  public static let symlinkLoop = Errno(rawValue: ELOOP)
}
