// Where a path leads when the file at its end is a symbolic link.

/// A name in a folder.
struct FilePlace: Sendable, Hashable {
  let folder: String
  let name: String

  init(_ path: String) {
    folder = Path.folder(of: path)
    name = Path.name(of: path)
  }

  /// Every name in a folder.
  init(allOf folder: String) {
    self.folder = folder
    name = ""
  }

  /// All places whose change can make the path lead to other bytes: that of the path itself, and
  /// if a link stands there, those that it leads to, one after the other.
  static func chain(of path: String) throws(Errno) -> [FilePlace] {
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    var path = path
    var places = [FilePlace(path)]
    while let target = try systemReadLink(path) {
      path = Path.join(Path.folder(of: path), target)
      places.append(FilePlace(path))
      if places.count > linksMax { throw .symlinkLoop }
    }
    return places
  }

  /// How many links Linux follows.
  private static let linksMax = 40
}
