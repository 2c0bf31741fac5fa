// A disk in memory: fast, and the same in each run.

public import EventLog
import Synchronization

/// A disk in memory that behaves like a real one and disappears when you release it.
///
/// ```swift
/// let disk = MemoryFileSystem()
/// let (phone, tablet) = try await Devices.meet(records: Food.self, on: disk)
/// ```
///
/// The disk has the same open modes, offsets, locks, unlinked files, inodes, birth times, watches,
/// and errors as a real one. There are no symbolic links, and a path without a leading slash begins
/// at the root. Syncing does nothing. Inodes and descriptor numbers are never reused, so using one
/// too late is detected. A file of more than 2 GiB throws `Errno.fileTooLarge`.
public final class MemoryFileSystem: Sendable {
  private struct Opened {
    let inode: MemoryTree.Inode
    let access: FileAccess
    /// Whether its lock is exclusive, or nil if it has no lock.
    var lock: Bool?
  }

  private struct State {
    var tree: MemoryTree
    var opened: [FileDescriptor: Opened] = [:]
    var descriptorLast: CInt = 2
    var watches: [MemoryFileWatch.Reference] = []
  }

  private let identity: String?
  private let state: Mutex<State>

  /// Creates an empty disk.
  ///
  /// - Parameter machineIdentity: The identity of the machine that contains the disk, or `nil` if
  ///   it has none.
  public convenience init(machineIdentity: String? = "memory") {
    self.init(machineIdentity: machineIdentity, clock: .system)
  }

  /// Creates an empty disk with its own clock.
  ///
  /// - Parameters:
  ///   - machineIdentity: The identity of the machine that contains the disk.
  ///   - clock: The source of file times. The times of a disk differ even if the clock stands
  ///     still.
  package init(machineIdentity: String? = "memory", clock: WallClock) {
    identity = machineIdentity
    state = Mutex(State(tree: MemoryTree(clock: clock)))
  }

  private init(_ tree: MemoryTree, machineIdentity: String?) {
    identity = machineIdentity
    state = Mutex(State(tree: tree))
  }

  /// Returns a copy of the disk, including inodes and times, as if the whole machine was copied.
  ///
  /// No files are open on the copy.
  ///
  /// - Parameter machineIdentity: The identity of the machine that contains the copy.
  public func copy(machineIdentity: String?) -> MemoryFileSystem {
    let tree = state.withLock { state in
      var tree = state.tree
      for inode in Array(tree.nodes.keys) {
        tree.nodes[inode]?.descriptorCount = 0
        tree.forget(inode)
      }
      return tree
    }
    return MemoryFileSystem(tree, machineIdentity: machineIdentity)
  }

  /// Performs a change, then notifies the watches that it affects.
  private func perform<Value: Sendable>(
    _ body: (inout State) throws(Errno) -> Value
  ) throws(Errno) -> Value {
    var told: [(MemoryFileWatch, FileChange)] = []
    // A change that threw halfway would leave touches for the next call, but none does.
    let value = try state.withLock { (state) throws(Errno) -> Value in
      let value = try body(&state)
      told = Self.watchers(&state)
      return value
    }
    for (watch, change) in told { watch.tell(change) }
    return value
  }

  private static func watchers(_ state: inout State) -> [(MemoryFileWatch, FileChange)] {
    defer { state.tree.touches.removeAll(keepingCapacity: true) }
    if state.watches.isEmpty || state.tree.touches.isEmpty { return [] }
    state.watches.removeAll { $0.watch == nil }
    return state.watches.compactMap { reference in
      guard let watch = reference.watch else { return nil }
      var change: FileChange?
      for touch in state.tree.touches {
        switch touch {
        case .bytes(let inode):
          if state.tree.nodes[watch.folder]?.names?[watch.name] == inode { change = .changed }
        case .name(let folder, let name):
          if folder == watch.folder, name == watch.name { change = .changed }
          // The watched path is a folder whose names changed.
          if state.tree.nodes[watch.folder]?.names?[watch.name] == folder { change = .changed }
        case .folderMoved(let folder):
          if folder == watch.folder { return (watch, .lost) }
        }
      }
      return change.map { (watch, $0) }
    }
  }

  private static func opened(
    _ file: FileDescriptor, _ state: State
  ) throws(Errno) -> Opened {
    guard let opened = state.opened[file] else { throw .badDescriptor }
    return opened
  }
}

// MARK: - FileSystem

extension MemoryFileSystem: FileSystem {
  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try perform { (state) throws(Errno) in
      let inode = try state.tree.open(path, access)
      state.descriptorLast += 1
      let file = FileDescriptor(rawValue: state.descriptorLast)
      state.opened[file] = Opened(inode: inode, access: access)
      state.tree.nodes[inode]?.descriptorCount += 1
      return file
    }
  }

  package func close(_ file: FileDescriptor) {
    state.withLock { state in
      guard let opened = state.opened.removeValue(forKey: file) else { return }
      state.tree.nodes[opened.inode]?.descriptorCount -= 1
      state.tree.forget(opened.inode)
    }
  }

  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try state.withLock { (state) throws(Errno) in
      let inode = try Self.opened(file, state).inode
      guard let node = state.tree.nodes[inode], !node.isFolder else { throw .isDirectory }
      if offset < 0 { throw .invalidArgument }
      if offset >= Int64(node.bytes.count) { return 0 }
      let count = min(buffer.count, node.bytes.count - Int(offset))
      buffer.copyBytes(from: node.bytes[Int(offset)..<Int(offset) + count])
      return count
    }
  }

  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try perform { (state) throws(Errno) in
      let opened = try Self.opened(file, state)
      if opened.access == .read { throw .badDescriptor }
      if offset < 0 { throw .invalidArgument }
      try state.tree.write(bytes, to: opened.inode, at: offset)
      return bytes.count
    }
  }

  package func sync(_ file: FileDescriptor) throws(Errno) {
    _ = try state.withLock { (state) throws(Errno) in try Self.opened(file, state).inode }
  }

  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try perform { (state) throws(Errno) in
      let opened = try Self.opened(file, state)
      if opened.access == .read || size < 0 { throw .invalidArgument }
      try state.tree.truncate(opened.inode, to: size)
    }
  }

  /// Tries to lock a file, like the system: a lock whose kind can't be changed is lost.
  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try state.withLock { (state) throws(Errno) in
      let opened = try Self.opened(file, state)
      if opened.lock == exclusive { return true }
      let isHeld = state.opened.contains { other, its in
        other != file && its.inode == opened.inode && its.lock.map { $0 || exclusive } ?? false
      }
      state.opened[file]?.lock = isHeld ? nil : exclusive
      return !isHeld
    }
  }

  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      _ = try Self.opened(file, state)
      state.opened[file]?.lock = nil
    }
  }

  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try state.withLock { (state) throws(Errno) in
      try state.tree.status(of: Self.opened(file, state).inode)
    }
  }

  package func status(at path: String) throws(Errno) -> FileStatus {
    try state.withLock { (state) throws(Errno) in
      try state.tree.status(of: state.tree.inode(at: path))
    }
  }

  /// Renames a file or folder.
  ///
  /// If the new name is taken by a file or an empty folder, it is replaced.
  public func rename(_ source: String, to target: String) throws(Errno) {
    try perform { (state) throws(Errno) in try state.tree.rename(source, to: target) }
  }

  /// Removes a file or an empty folder.
  ///
  /// - Throws: `Errno.notEmpty` if the folder isn't empty.
  public func remove(_ path: String) throws(Errno) {
    try perform { (state) throws(Errno) in try state.tree.remove(path) }
  }

  /// Creates an empty folder.
  ///
  /// - Throws: `Errno.exists` if the name is taken.
  public func makeFolder(_ path: String) throws(Errno) {
    try perform { (state) throws(Errno) in try state.tree.makeFolder(path) }
  }

  /// Returns the names in a folder, sorted by bytes.
  public func contents(of folder: String) throws(Errno) -> [String] {
    try state.withLock { (state) throws(Errno) in try state.tree.contents(of: folder) }
  }

  /// Does nothing.
  ///
  /// - Throws: `Errno.notDirectory` if the path isn't a folder.
  public func syncFolder(_ path: String) throws(Errno) {
    if try status(at: path).kind != .folder { throw .notDirectory }
  }

  /// Does nothing, because no backup contains this disk.
  public func excludeFromBackup(_ path: String) throws(Errno) {}

  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try state.withLock { (state) throws(Errno) in
      let resolved = try state.tree.resolve(path)
      guard let name = resolved.name else { throw .invalidArgument }
      let watch = MemoryFileWatch(resolved.folder, name, onChange)
      state.watches.append(MemoryFileWatch.Reference(watch: watch))
      return watch
    }
  }

  /// Returns the identity of the machine that contains the disk, or `nil` if it has none.
  public func machineIdentity() -> String? { identity }
}
