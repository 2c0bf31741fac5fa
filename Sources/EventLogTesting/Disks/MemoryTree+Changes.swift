import EventLog

extension MemoryTree {
  /// The maximum size of a file, so that a runaway test fails before it uses up the memory.
  static let fileBytesMax = 1 << 31

  // MARK: - Files

  /// Returns the file at the path, or creates it if the access allows that.
  mutating func open(_ path: String, _ access: FileAccess) throws(Errno) -> Inode {
    let resolved = try resolve(path)
    if let inode = resolved.inode {
      if access == .createNew { throw .exists }
      if nodes[inode]?.isFolder == true, access != .read { throw .isDirectory }
      return inode
    }
    guard access == .create || access == .createNew, let name = resolved.name else {
      throw .noSuchFile
    }
    if resolved.mustBeFolder { throw .isDirectory }
    return make(name, in: resolved.folder, isFolder: false)
  }

  mutating func write(
    _ bytes: UnsafeRawBufferPointer, to inode: Inode, at offset: Int64
  ) throws(Errno) {
    let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
    if overflow || end > Int64(Self.fileBytesMax) { throw .fileTooLarge }
    if bytes.isEmpty { return }
    grow(inode, to: Int(end))
    nodes[inode]?.bytes.withUnsafeMutableBytes { file in
      UnsafeMutableRawBufferPointer(rebasing: file[Int(offset)..<Int(end)]).copyMemory(from: bytes)
    }
    didWrite(inode)
  }

  mutating func truncate(_ inode: Inode, to size: Int64) throws(Errno) {
    if size > Int64(Self.fileBytesMax) { throw .fileTooLarge }
    let surplus = (nodes[inode]?.bytes.count ?? 0) - Int(size)
    if surplus > 0 { nodes[inode]?.bytes.removeLast(surplus) } else { grow(inode, to: Int(size)) }
    didWrite(inode)
  }

  private mutating func grow(_ inode: Inode, to size: Int) {
    let lack = size - (nodes[inode]?.bytes.count ?? 0)
    if lack > 0 { nodes[inode]?.bytes.append(contentsOf: [UInt8](repeating: 0, count: lack)) }
  }

  private mutating func didWrite(_ inode: Inode) {
    let now = moment()
    nodes[inode]?.modified = now
    touches.append(.bytes(inode))
  }

  // MARK: - Names

  mutating func rename(_ source: String, to target: String) throws(Errno) {
    let from = try resolve(source)
    let to = try resolve(target)
    guard let moved = from.inode else { throw .noSuchFile }
    guard let oldName = from.name, let newName = to.name else { throw .notPermitted }
    if moved == to.inode { return }
    let isFolder = nodes[moved]?.isFolder == true
    if isFolder, isInside(to.folder, moved) { throw .invalidArgument }
    if let replaced = to.inode {
      let replacesFolder = nodes[replaced]?.isFolder == true
      if isFolder, !replacesFolder { throw .notDirectory }
      if !isFolder, replacesFolder { throw .isDirectory }
      if nodes[replaced]?.names?.isEmpty == false { throw .notEmpty }
      unlink(replaced, newName, in: to.folder)
      forget(replaced)
    } else if to.mustBeFolder, !isFolder {
      throw .notDirectory
    }
    unlink(moved, oldName, in: from.folder)
    link(moved, newName, in: to.folder)
  }

  mutating func remove(_ path: String) throws(Errno) {
    let resolved = try resolve(path)
    guard let inode = resolved.inode else { throw .noSuchFile }
    if nodes[inode]?.names?.isEmpty == false { throw .notEmpty }
    guard let name = resolved.name else { throw .notPermitted }
    unlink(inode, name, in: resolved.folder)
    forget(inode)
  }

  mutating func makeFolder(_ path: String) throws(Errno) {
    let resolved = try resolve(path)
    guard let name = resolved.name, resolved.inode == nil else { throw .exists }
    _ = make(name, in: resolved.folder, isFolder: true)
  }

  /// Returns the names in a folder, sorted by bytes.
  func contents(of folder: String) throws(Errno) -> [String] {
    guard let names = nodes[try inode(at: folder)]?.names else { throw .notDirectory }
    return names.keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
