// The files and folders of a disk in memory, as a value that neither locks nor waits.

import EventLog

/// Numbered files and folders, their names and their bytes.
struct MemoryTree {
  typealias Inode = UInt64

  /// A name, compared by its bytes; `String` compares by canonical equivalence.
  struct Name: Hashable {
    let bytes: [UInt8]
  }

  struct Node {
    /// The names in a folder, or nil for a file.
    var names: [Name: Inode]?
    var bytes: [UInt8] = []
    /// The parent folder, or nil for the root and for unlinked nodes.
    var folder: Inode?
    let birth: Int64
    var modified: Int64
    /// The number of open descriptors, which keep an unlinked node alive.
    var descriptorCount = 0

    var isFolder: Bool { names != nil }
  }

  /// A resolved path.
  struct ResolvedPath {
    let folder: Inode
    /// The name in the folder, or nil if the path is the root or ends in `..`.
    let name: Name?
    /// The node with this name, or nil if there is none.
    let inode: Inode?
    /// Whether the path must be a folder, for example because it ends with a slash.
    let mustBeFolder: Bool
  }

  /// A changed part of the tree, for watches.
  enum Touch {
    case bytes(Inode)
    case name(Inode, Name)
    case folderMoved(Inode)
  }

  static let root: Inode = 2
  private static let nameBytesMax = 255
  private static let pathBytesMax = 4095

  var nodes: [Inode: Node]
  var touches: [Touch] = []
  private var inodeLast = Self.root
  private var momentLast: Int64 = 0
  private let clock: WallClock

  init(clock: WallClock) {
    self.clock = clock
    nodes = [:]
    let now = moment()
    nodes[Self.root] = Node(names: [:], birth: now, modified: now)
  }

  /// Returns the time in nanoseconds, later on each call, so that no two changes share a time.
  mutating func moment() -> Int64 {
    momentLast = max(momentLast + 1, clock.now().multipliedReportingOverflow(by: 1_000_000).0)
    return momentLast
  }

  // MARK: - Paths

  func resolve(_ path: String) throws(Errno) -> ResolvedPath {
    let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
    var bytes = Array(path.utf8)
    if bytes.containsBytes(of: "\0") { throw .invalidArgument }
    if bytes.isEmpty { throw .noSuchFile }
    if bytes.count > Self.pathBytesMax { throw .nameTooLong }
    bytes.append(slash)
    var steps: [ArraySlice<UInt8>] = []
    var mustBeFolder = false
    var start = 0
    for end in bytes.indices where bytes[end] == slash {
      let isDot = end == start + 1 && bytes[start] == dot
      mustBeFolder = isDot || end == start
      if !mustBeFolder { steps.append(bytes[start..<end]) }
      start = end + 1
    }
    var resolved = ResolvedPath(folder: Self.root, name: nil, inode: Self.root, mustBeFolder: true)
    for position in steps.indices {
      let isLast = position == steps.count - 1
      resolved = try resolve(steps[position], in: resolved, mustBeFolder: !isLast || mustBeFolder)
    }
    return resolved
  }

  private func resolve(
    _ step: ArraySlice<UInt8>, in resolved: ResolvedPath, mustBeFolder: Bool
  ) throws(Errno) -> ResolvedPath {
    guard let folder = resolved.inode, let names = nodes[folder]?.names else { throw .noSuchFile }
    if step.count == 2, step.first == UInt8(ascii: "."), step.last == UInt8(ascii: ".") {
      let above = nodes[folder]?.folder ?? Self.root
      return ResolvedPath(folder: above, name: nil, inode: above, mustBeFolder: true)
    }
    if step.count > Self.nameBytesMax { throw .nameTooLong }
    let name = Name(bytes: Array(step))
    let inode = names[name]
    if mustBeFolder, let inode, nodes[inode]?.isFolder == false { throw .notDirectory }
    return ResolvedPath(folder: folder, name: name, inode: inode, mustBeFolder: mustBeFolder)
  }

  /// Returns the node at the path.
  func inode(at path: String) throws(Errno) -> Inode {
    guard let inode = try resolve(path).inode else { throw .noSuchFile }
    return inode
  }

  func status(of inode: Inode) throws(Errno) -> FileStatus {
    guard let node = nodes[inode] else { throw .badDescriptor }
    return FileStatus(
      kind: node.isFolder ? .folder : .regular, size: Int64(node.bytes.count), device: 1,
      inode: inode, birth: node.birth, modified: node.modified,
      permissions: node.isFolder ? 0o700 : 0o600)
  }

  // MARK: - Names

  /// Creates a file or an empty folder.
  mutating func make(_ name: Name, in folder: Inode, isFolder: Bool) -> Inode {
    inodeLast += 1
    let now = moment()
    nodes[inodeLast] = Node(
      names: isFolder ? [:] : nil, folder: folder, birth: now, modified: now)
    link(inodeLast, name, in: folder)
    return inodeLast
  }

  mutating func link(_ inode: Inode, _ name: Name, in folder: Inode) {
    let now = moment()
    nodes[folder]?.names?[name] = inode
    nodes[folder]?.modified = now
    nodes[inode]?.folder = folder
    touches.append(.name(folder, name))
  }

  mutating func unlink(_ inode: Inode, _ name: Name, in folder: Inode) {
    let now = moment()
    nodes[folder]?.names?[name] = nil
    nodes[folder]?.modified = now
    nodes[inode]?.folder = nil
    touches.append(.name(folder, name))
    if nodes[inode]?.isFolder == true { touches.append(.folderMoved(inode)) }
  }

  /// Removes a node that has neither a name nor a descriptor.
  mutating func forget(_ inode: Inode) {
    guard let node = nodes[inode], node.folder == nil, inode != Self.root else { return }
    if node.descriptorCount == 0 { nodes[inode] = nil }
  }

  /// Returns whether `inode` is `folder` or lies inside it, at any depth.
  func isInside(_ inode: Inode, _ folder: Inode) -> Bool {
    var inode: Inode? = inode
    while let next = inode {
      if next == folder { return true }
      inode = nodes[next]?.folder
    }
    return false
  }
}
