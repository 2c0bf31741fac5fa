import Foundation

/// A kind of system call and its possible errors.
///
/// They are the errors that its manual lists for the command's arguments, and those that any file
/// system may return.
struct CallKind {
  /// The name, as in `Faults.c`.
  let name: String
  let errors: [Int32]
  /// Whether it may transfer fewer bytes than requested.
  var canBeShort = false

  /// The actions of `Faults.c` that fail such a call, each with a name to print.
  var actions: [(action: String, name: String)] {
    errors.map { ("\($0)", Self.names[$0] ?? "error \($0)") }
      + (canBeShort ? [("short", "half")] : [])
  }

  private static let path = [
    EACCES, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM, ENOTDIR, EIO, EPERM, ESTALE,
  ]
  private static let change = path + [EROFS, ENOSPC, EDQUOT, EBUSY]

  /// All kinds that the command calls, except those whose failures can't be reported.
  static let all: [CallKind] = [
    CallKind(
      name: "open",
      errors: change + [
        EEXIST, EFBIG, EINTR, EISDIR, EMFILE, ENFILE, ENODEV, ENXIO, EOVERFLOW, ETXTBSY, EAGAIN,
      ]),
    CallKind(name: "close", errors: [EINTR, EIO, ENOSPC, EDQUOT]),
    CallKind(name: "read", errors: [EINTR, EIO, EISDIR, EAGAIN, EINVAL], canBeShort: true),
    CallKind(
      name: "write", errors: [EINTR, EIO, ENOSPC, EDQUOT, EFBIG, EPIPE, EPERM], canBeShort: true),
    CallKind(
      name: "pread", errors: [EINTR, EIO, EISDIR, ENXIO, EOVERFLOW, ESTALE], canBeShort: true),
    CallKind(
      name: "pwrite", errors: [EINTR, EIO, ENOSPC, EDQUOT, EFBIG, EPERM, ENXIO, ESTALE],
      canBeShort: true),
    CallKind(name: "fdatasync", errors: [EINTR, EIO, ENOSPC, EDQUOT, EROFS, EINVAL]),
    CallKind(name: "fsync", errors: [EINTR, EIO, ENOSPC, EDQUOT, EROFS, EINVAL]),
    CallKind(name: "ftruncate", errors: [EINTR, EIO, EFBIG, EINVAL, EPERM, EROFS, ETXTBSY]),
    CallKind(name: "flock", errors: [EINTR, EAGAIN, ENOLCK, EINVAL, EIO]),
    CallKind(name: "rename", errors: change + [EISDIR, EMLINK, ENOTEMPTY, EXDEV, EEXIST]),
    CallKind(name: "remove", errors: change + [EISDIR, ENOTEMPTY]),
    CallKind(name: "mkdir", errors: change + [EEXIST, EMLINK]),
    CallKind(name: "opendir", errors: path + [EMFILE, ENFILE]),
    CallKind(name: "readdir", errors: [EBADF, EIO, ENOENT, EOVERFLOW]),
    CallKind(name: "stat", errors: path + [EOVERFLOW]),
    CallKind(name: "fstat", errors: [EIO, ENOMEM, EOVERFLOW, ESTALE]),
    CallKind(name: "statx", errors: path + [ENOSYS]),
    CallKind(name: "access", errors: path + [EROFS]),
    CallKind(name: "realpath", errors: path),
    CallKind(name: "readlink", errors: path + [EINVAL]),
    CallKind(name: "getcwd", errors: [EACCES, ENAMETOOLONG, ENOENT, ENOMEM, ERANGE]),
    CallKind(name: "statfs", errors: path + [ENOSYS, EINTR]),
    CallKind(name: "dup", errors: [EMFILE, EBADF]),
    CallKind(name: "fcntl", errors: [EBADF, EINVAL, EMFILE, EPERM]),
    CallKind(name: "poll", errors: [EINTR, EINVAL, ENOMEM]),
    CallKind(name: "pipe2", errors: [EMFILE, ENFILE]),
    CallKind(name: "posix_spawnp", errors: [EAGAIN, ENOMEM, ENOENT, EACCES, E2BIG, ENOEXEC]),
    CallKind(name: "waitpid", errors: [EINTR, ECHILD, EINVAL]),
    CallKind(name: "inotify_init1", errors: [EMFILE, ENFILE, ENOMEM]),
    CallKind(name: "inotify_add_watch", errors: [EACCES, ENOENT, ENOMEM, ENOSPC, ENOTDIR]),
  ]

  private static let names: [Int32: String] = [
    EACCES: "EACCES", ELOOP: "ELOOP", ENAMETOOLONG: "ENAMETOOLONG", ENOENT: "ENOENT",
    ENOMEM: "ENOMEM", ENOTDIR: "ENOTDIR", EIO: "EIO", EPERM: "EPERM", ESTALE: "ESTALE",
    EROFS: "EROFS", ENOSPC: "ENOSPC", EDQUOT: "EDQUOT", EBUSY: "EBUSY", EEXIST: "EEXIST",
    EFBIG: "EFBIG", EINTR: "EINTR", EISDIR: "EISDIR", EMFILE: "EMFILE", ENFILE: "ENFILE",
    ENODEV: "ENODEV", ENXIO: "ENXIO", EOVERFLOW: "EOVERFLOW", ETXTBSY: "ETXTBSY",
    EAGAIN: "EAGAIN", EINVAL: "EINVAL", EPIPE: "EPIPE", ENOLCK: "ENOLCK", EMLINK: "EMLINK",
    ENOTEMPTY: "ENOTEMPTY", EXDEV: "EXDEV", EBADF: "EBADF", ENOSYS: "ENOSYS", ERANGE: "ERANGE",
    E2BIG: "E2BIG", ENOEXEC: "ENOEXEC", ECHILD: "ECHILD",
  ]
}
