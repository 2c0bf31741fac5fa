// The one error of this layer: a number that the operating system gave.

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
/// Every call of a ``FileSystem`` throws exactly this type. ``interrupted`` is the one value that
/// never arrives: interrupted calls are made again.
public struct Errno: Error, Sendable, Hashable, RawRepresentable, CustomStringConvertible {
  /// The number, as C's `errno` holds it.
  public let rawValue: CInt

  /// Wraps an error number.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The system's own words for the error, for example "No space left on device".
  ///
  /// The corresponding C function is `strerror_r`.
  public var description: String {
    systemMessage(ofError: rawValue)
  }

  /// What the last failed call of this thread left in C's `errno`.
  package static var current: Errno {
    Errno(rawValue: errno)
  }
}

extension Errno {
  /// No such file or folder (`ENOENT`).
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// A file or folder of that name exists (`EEXIST`).
  public static let exists = Errno(rawValue: EEXIST)
  /// Permission denied (`EACCES`).
  public static let permissionDenied = Errno(rawValue: EACCES)
  /// Operation not permitted (`EPERM`).
  public static let notPermitted = Errno(rawValue: EPERM)
  /// It is a folder (`EISDIR`).
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// It is not a folder (`ENOTDIR`).
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// The folder is not empty (`ENOTEMPTY`).
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// No space left on the device (`ENOSPC`).
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// The user's disk quota is used up (`EDQUOT`).
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// The file is larger than it may be (`EFBIG`).
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  /// The file system is mounted for reading only (`EROFS`).
  public static let readOnlyFileSystem = Errno(rawValue: EROFS)
  /// The call would have had to wait (`EWOULDBLOCK`, the same as `EAGAIN`).
  public static let wouldBlock = Errno(rawValue: EWOULDBLOCK)
  /// A signal interrupted the call (`EINTR`).
  public static let interrupted = Errno(rawValue: EINTR)
  /// The device failed (`EIO`).
  public static let inputOutput = Errno(rawValue: EIO)
  /// Nobody reads the other end of the pipe (`EPIPE`).
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// Nothing happened in the time that was given (`ETIMEDOUT`).
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// The call was given up from this side (`ECANCELED`).
  public static let cancelled = Errno(rawValue: ECANCELED)
  /// This process has too many open files (`EMFILE`).
  public static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  /// A name or path is too long (`ENAMETOOLONG`).
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// The file system cannot do that (`ENOTSUP`).
  public static let notSupported = Errno(rawValue: ENOTSUP)
  /// An argument makes no sense (`EINVAL`).
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// The descriptor is not open, or not for this (`EBADF`).
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// Too many symbolic links on the way (`ELOOP`).
  public static let symlinkLoop = Errno(rawValue: ELOOP)
}
