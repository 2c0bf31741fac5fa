/// A name in a folder, or all of its names.
struct WatchedName: Sendable, Hashable {
  let folder: String
  let name: String

  init(_ path: String) {
    folder = Path.folder(of: path)
    name = Path.name(of: path)
  }

  /// All names in a folder.
  init(allOf folder: String) {
    self.folder = folder
    name = ""
  }

  /// All names whose change can make the path lead to other bytes: the path's own and, if it is a
  /// symbolic link, those of its targets, in order.
  static func chain(of path: String) throws(Errno) -> [WatchedName] {
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    var path = path
    var names = [WatchedName(path)]
    while let target = try systemReadLink(path) {
      path = Path.join(Path.folder(of: path), target)
      names.append(WatchedName(path))
      if names.count > linksMax { throw .symlinkLoop }
    }
    return names
  }

  /// The number of links that Linux follows.
  private static let linksMax = 40
}

extension FileSystem {
  /// Whether the path itself is a symbolic link; `false` if there is nothing.
  package func isLink(_ path: String) throws(Errno) -> Bool { try systemReadLink(path) != nil }

  /// The path to which symbolic links at the end of a path lead, or the path if they can't be read.
  ///
  /// The folders of a file are beside the file, not beside links to it.
  package func followingLinks(_ path: String) -> String {
    guard let last = try? WatchedName.chain(of: path).last, last != WatchedName(path) else {
      return path
    }
    return Path.join(last.folder, last.name)
  }
}
