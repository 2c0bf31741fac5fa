/// Operations on the text of paths; none of them accesses a disk.
package enum Path {
  /// Returns the path of the folder that contains the file; "." if the path has no slash.
  ///
  /// Trailing slashes don't count: the folder of "a/b/" is "a". The folder of "/" is "/".
  package static func folder(of path: String) -> String {
    let path = trimmed(path[...])
    guard let slash = path.utf8.lastIndex(of: slashByte) else { return "." }
    let folder = trimmed(path[..<slash])
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Returns the last part of the path; "/" for "/", and "" for "".
  package static func name(of path: String) -> String {
    let path = trimmed(path[...])
    guard path != "/", let slash = path.utf8.lastIndex(of: slashByte) else { return String(path) }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Returns the path without redundant slashes and `.`; "." for "" and "./".
  package static func plain(_ path: String) -> String {
    let isAbsolute = path.utf8.first == slashByte
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return isAbsolute ? "/" + parts : parts.isEmpty ? "." : parts
  }

  /// Returns the path of a name in a folder.
  ///
  /// For "" and ".", it is the name alone. A name that begins with a slash is returned unchanged.
  package static func join(_ folder: String, _ name: String) -> String {
    if folder.isEmpty || folder == "." || name.utf8.first == slashByte { return name }
    return folder.utf8.last == slashByte ? folder + name : folder + "/" + name
  }

  /// Returns the path with another extension.
  ///
  /// If the old one is missing, it is appended after a second dot, so that the result isn't that of
  /// a file with the extension. A name that consists only of the extension, such as ".jsonl", has
  /// none.
  package static func replacingExtension(
    _ path: String, _ old: String, with new: String
  ) -> String {
    let path = String(trimmed(path[...]))
    let suffix = "." + old
    let hasExtension =
      name(of: path).utf8.count > suffix.utf8.count
      && path.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    let stem = hasExtension ? String(path.utf8.dropLast(suffix.utf8.count))! : path + "."
    return stem + "." + new
  }

  /// Returns a name for a temporary file that will be renamed.
  package static func temporaryName(_ random: RandomText) -> String {
    temporaryPrefix + random.next(8) + temporarySuffix
  }

  /// Whether the name is from ``temporaryName(_:)``.
  ///
  /// Such a file isn't valid data: it is being written, or was left over by a crash.
  package static func isTemporary(_ name: String) -> Bool {
    name.utf8.starts(with: temporaryPrefix.utf8)
      && name.utf8.suffix(temporarySuffix.utf8.count).elementsEqual(temporarySuffix.utf8)
  }

  private static let temporaryPrefix = ".eventlog-"
  private static let temporarySuffix = ".tmp"
  private static let slashByte = UInt8(ascii: "/")

  /// The path without trailing slashes; a single slash is kept.
  private static func trimmed(_ path: Substring) -> Substring {
    var end = path.endIndex
    while end > path.startIndex {
      let last = path.utf8.index(before: end)
      guard last > path.startIndex, path.utf8[last] == slashByte else { break }
      end = last
    }
    return path[..<end]
  }
}
