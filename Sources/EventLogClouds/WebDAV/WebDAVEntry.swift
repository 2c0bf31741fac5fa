import EventLog

/// An entry of a listing, as the server spells it.
struct WebDAVEntry {
  private let href: String
  /// The decoded path, with a trailing slash for a folder, or nil if it isn't UTF-8.
  let path: String?
  let isFolder: Bool
  let length: String?
  let modified: Timestamp?
  /// The status of an entry without properties.
  let status: String?

  init(_ response: XMLElement) {
    href = Self.trimmed(response.child("href")?.text ?? "")
    // The href may be an absolute URL.
    let encodedPath =
      href.utf8.starts(with: "/".utf8) || !href.contains("://") ? href : RequestURL(href).path
    // The properties that a file lacks are in a `propstat` with another status.
    let properties = response.all("propstat").filter { found in
      found.child("status").map { $0.text.contains(" 200") } ?? true
    }.compactMap { $0.child("prop") }
    func value(_ name: String) -> String? {
      properties.lazy.compactMap { $0.child(name)?.text }.map(Self.trimmed).first { !$0.isEmpty }
    }
    isFolder =
      properties.contains { $0.child("resourcetype")?.child("collection") != nil }
      || encodedPath.utf8.last == UInt8(ascii: "/")
    let end = isFolder && encodedPath.utf8.last != UInt8(ascii: "/") ? "/" : ""
    path = PercentEncoding.decode(encodedPath + end)
    length = value("getcontentlength")
    modified = value("getlastmodified").flatMap(HTTPDate.time)
    status = response.child("status").map { Self.trimmed($0.text) }
  }

  // Paths of folders are compared with `==`, because a server may list another Unicode form than
  // the requested one. Names of files are compared by their bytes.

  /// Returns whether this is the folder's own entry.
  func isOwn(of folder: String) -> Bool { path == folder || path.map { $0 + "/" } == folder }

  /// The path of the containing folder, with a trailing slash.
  var parent: String? {
    guard let path = path?.utf8 else { return nil }
    let end = path.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
    return end.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(end[...$0])) }
  }

  /// The last component of the path.
  var name: String? {
    path?.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
  }

  /// Returns the name in a folder, or the path of an entry in another one. Both are safe to show.
  func name(in folder: String) -> String {
    guard let name, parent == folder else { return displayPath }
    return SafeText.quote(name)
  }

  var displayPath: String { SafeText.quote(path ?? href) }

  private static func trimmed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
