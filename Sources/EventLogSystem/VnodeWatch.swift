#if canImport(Darwin)
  import Dispatch

  /// Watches the folder of each name for changes to names, and the file itself for changes to
  /// bytes.
  ///
  /// The bytes of a folder are its names.
  func systemArms(
    _ watched: [WatchedName], path: String,
    _ onNotice: @escaping @Sendable (_ mustArm: Bool) -> Void
  ) throws(Errno) -> [any FileWatch] {
    var arms: [any FileWatch] = []
    for watchedName in watched {
      if try systemIsShared(watchedName.folder) { throw .notSupported }
      // Any name in the folder may have changed.
      let arm = try VnodeArm(watchedName.folder, [.write, .delete, .rename, .revoke]) {
        onNotice(true)
      }
      arms.append(arm)
    }
    do throws(Errno) {
      arms.append(try VnodeArm(path, [.delete, .rename, .revoke]) { onNotice(true) })
      arms.append(try VnodeArm(path, [.write, .extend]) { onNotice(false) })
    } catch {
      // The file doesn't exist yet; the arm of its folder reports its creation.
      guard error == .noSuchFile else { throw error }
    }
    return arms
  }

  /// The watch of one file or folder, independent of later changes to its path.
  final class VnodeArm: FileWatch {
    private let source: RunningSource

    init(
      _ path: String, _ events: DispatchSource.FileSystemEvent,
      _ onNotice: @escaping @Sendable () -> Void
    ) throws(Errno) {
      let file = try systemOpenForEvents(path)
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: file, eventMask: events, queue: DispatchQueue(label: "eventlog.vnode"))
      source.setEventHandler { onNotice() }
      source.setCancelHandler { systemClose(file) }
      self.source = RunningSource(source)
    }

    func cancel() { source.cancel() }
  }
#endif
