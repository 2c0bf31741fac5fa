// The files of paths and descriptors, now and after a possible power loss.

import EventLog

/// The state of a ``CrashRecorder``: the history of each file and of each name.
struct CrashState {
  /// The number of a file, which is never reused, unlike an inode.
  private struct FileID: Hashable {
    let number: Int
  }

  private struct Inode: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ status: FileStatus) {
      device = status.device
      number = status.inode
    }
  }

  private var files: [FileID: FileHistory] = [:]
  private var filesByInode: [Inode: FileID] = [:]
  private var filesByDescriptor: [FileDescriptor: FileID] = [:]

  /// For each path, the files that it named since its folder was last synced, or `nil` for none,
  /// ending with the current one.
  private var names: [String: [FileID?]] = [:]

  // MARK: - Queries

  /// Returns the histories of all files that the path may name after a power loss.
  mutating func histories(of path: String, in base: any FileSystem) -> [FileHistory] {
    meet(path, in: base)
    var histories: [FileHistory] = []
    var seen: Set<FileID> = []
    for case let file? in names[Self.plain(path)] ?? [] where seen.insert(file).inserted {
      if let history = files[file] { histories.append(history) }
    }
    return histories
  }

  /// Returns whether the path may name no file after a power loss.
  mutating func mayBeMissing(_ path: String, in base: any FileSystem) -> Bool {
    meet(path, in: base)
    return names[Self.plain(path)]?.contains(nil) ?? true
  }

  // MARK: - Tracking

  /// Starts to track the regular file at the path, if it isn't tracked yet.
  ///
  /// Files that can't be read aren't tracked.
  mutating func meet(_ path: String, in base: any FileSystem) {
    guard let status = try? base.status(at: path), status.kind == .regular else { return }
    if let file = filesByInode[Inode(status)] {
      note(file, at: path)
    } else if let opened = try? base.open(path, .read) {
      try? didOpen(opened, path, isNew: false, in: base)
      didClose(opened)
      base.close(opened)
    }
  }

  mutating func didOpen(
    _ opened: FileDescriptor, _ path: String, isNew: Bool, in base: any FileSystem
  ) throws(Errno) {
    let status = try base.status(of: opened)
    guard status.kind == .regular else { return }
    let inode = Inode(status)
    if isNew {
      if names[Self.plain(path)] == nil { names[Self.plain(path)] = [nil] }
      filesByInode[inode] = nil
    }
    let file: FileID
    if let known = filesByInode[inode] {
      file = known
    } else {
      let bytes = try base.readBytes(opened, at: 0, count: Int(status.size))
      file = FileID(number: files.count)
      files[file] = FileHistory(durable: bytes)
      filesByInode[inode] = file
    }
    filesByDescriptor[opened] = file
    note(file, at: path)
  }

  mutating func didClose(_ opened: FileDescriptor) {
    filesByDescriptor[opened] = nil
  }

  /// Applies a change to the history of a descriptor's file.
  mutating func change(_ opened: FileDescriptor, _ change: (inout FileHistory) -> Void) {
    guard let file = filesByDescriptor[opened], files[file] != nil else { return }
    change(&files[file]!)
  }

  mutating func didRename(_ source: String, to target: String) {
    guard let file = names[Self.plain(source)]?.last ?? nil else { return }
    let replaced = names[Self.plain(target)]?.last ?? nil
    if let replaced, replaced != file { forgetInode(of: replaced) }
    if names[Self.plain(target)] == nil { names[Self.plain(target)] = [nil] }
    note(file, at: target)
    if Self.plain(source) != Self.plain(target) { note(nil, at: source) }
  }

  mutating func didRemove(_ path: String) {
    guard let file = names[Self.plain(path)]?.last ?? nil else { return }
    forgetInode(of: file)
    note(nil, at: path)
  }

  mutating func didSyncFolder(_ folder: String) {
    let folder = Self.plain(folder)
    for (path, meanings) in names where Path.folder(of: path) == folder {
      let now = meanings[meanings.count - 1]
      names[path] = now.map { [$0] }
    }
  }

  // MARK: - Names

  private mutating func note(_ file: FileID?, at path: String) {
    let path = Self.plain(path)
    if let meanings = names[path], meanings[meanings.count - 1] == file { return }
    names[path, default: []].append(file)
  }

  /// Removes the inode of a removed file, because a new file may get it.
  private mutating func forgetInode(of file: FileID) {
    filesByInode = filesByInode.filter { $0.value != file }
  }

  /// Returns the path without "." components, repeated slashes and trailing slashes.
  private static func plain(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    let text = parts.joined(separator: "/")
    if path.utf8.first == UInt8(ascii: "/") { return "/" + text }
    return text.isEmpty ? "." : text
  }
}
