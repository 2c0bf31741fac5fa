#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

/// `readlink`; `nil` if the path isn't a link, or nothing exists there.
func systemReadLink(_ path: String) throws(Errno) -> String? {
  let bytes: [UInt8]
  do throws(Errno) {
    bytes = try withCPath(path) { (path) throws(Errno) in
      try [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { (buffer, count) throws(Errno) in
        count = try buffer.withMemoryRebound(to: CChar.self) { (text) throws(Errno) in
          try uninterrupted { readlink(path, text.baseAddress!, text.count) }
        }
      }
    }
  } catch {
    guard error == .invalidArgument || error == .noSuchFile else { throw error }
    return nil
  }
  // A target that isn't UTF-8 can't be followed.
  guard let target = String(validating: bytes, as: UTF8.self) else { throw .notSupported }
  return target
}

#if canImport(Darwin)
  /// `open` with `O_EVTONLY`, only for notifications: it doesn't keep a volume busy.
  func systemOpenForEvents(_ path: String) throws(Errno) -> CInt {
    try withCPath(path) { (path) throws(Errno) in
      try uninterrupted { open(path, O_EVTONLY | O_CLOEXEC) }
    }
  }

  /// `statfs`: whether other machines may write to the folder unnoticed by this one.
  ///
  /// Always false except on macOS: elsewhere, `statfs` needs a reason in the privacy manifest, and
  /// no reason that Apple accepts applies. A watch there may miss writes of other machines on a
  /// file server.
  func systemIsShared(_ folder: String) throws(Errno) -> Bool {
    #if os(macOS)
      try withCPath(folder) { (folder) throws(Errno) in
        var found = statfs()
        _ = try uninterrupted { statfs(folder, &found) }
        return found.f_flags & UInt32(MNT_LOCAL) == 0
      }
    #else
      false
    #endif
  }
#else
  /// `inotify_init1`, closed on `exec` and nonblocking
  func systemMakeInotify() throws(Errno) -> CInt {
    try uninterrupted { inotify_init1(CInt(O_CLOEXEC | O_NONBLOCK)) }
  }

  /// `inotify_add_watch` of a folder, for all changes to its names and their bytes.
  func systemAddInotify(_ file: CInt, folder: String) throws(Errno) -> CInt {
    try withCPath(folder) { (folder) throws(Errno) in
      try uninterrupted { inotify_add_watch(file, folder, InotifyEvent.wanted) }
    }
  }

  /// `inotify_rm_watch`; fails harmlessly if the folder is gone.
  func systemRemoveInotify(_ file: CInt, _ watch: CInt) {
    _ = inotify_rm_watch(file, watch)
  }

  /// `read` of the pending events; empty if there are none.
  func systemReadInotify(_ file: CInt) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16384) { (buffer, count) in
      count = (try? uninterrupted { read(file, buffer.baseAddress!, buffer.count) }) ?? 0
    }
  }

  /// Declared here because Swift doesn't import `struct statfs` on every Linux.
  ///
  /// The first word is `f_type`.
  @_silgen_name("statfs")
  private func linuxStatfs(
    _ path: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer
  ) -> CInt

  /// Whether other machines may write to the folder unnoticed by this one.
  func systemIsShared(_ folder: String) throws(Errno) -> Bool {
    try withCPath(folder) { (folder) throws(Errno) in
      var buffer = [Int](repeating: 0, count: 64)
      _ = try uninterrupted { linuxStatfs(folder, &buffer) }
      return sharedFileSystems.contains(UInt32(truncatingIfNeeded: buffer[0]))
    }
  }

  /// The magic numbers of file systems that machines share.
  private let sharedFileSystems: Set<UInt32> = [
    0x6969,  // NFS
    0x517b, 0xff53_4d42, 0xfe53_4d42,  // SMB, CIFS
    0x6573_5546,  // FUSE, used by sshfs and for the shared folders of virtual machines
    0x0102_1997,  // 9P
    0x00c3_6400,  // Ceph
    0x5346_414f, 0x6b41_4653,  // AFS
    0x7375_7245,  // Coda
    0x0bd0_0bd0,  // Lustre
    0x786f_4256,  // shared folders of VirtualBox
    0xbacb_acbc,  // shared folders of VMware
    0x0116_1970,  // GFS2
    0x7461_636f,  // OCFS2
  ]
#endif
