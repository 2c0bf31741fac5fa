import EventLog

/// An entry of a listing, as the server spells it.
struct WebDAVEntry {
  private let href: String
  /// The decoded path without the server, and with a slash at the end of a folder's. Nil if it
  /// isn't UTF-8.
  let path: String?
  let isFolder: Bool
  let length: String?
  let modified: Timestamp?
  /// The status of an entry that has no properties.
  let status: String?

  init(_ response: XMLElement) {
    href = Self.trimmed(response.child("href")?.text ?? "")
    // A server may name a file by its whole address.
    let spelled =
      href.utf8.starts(with: "/".utf8) || !href.contains("://") ? href : RequestURL(href).path
    // A property that a file doesn't have stands under a status of its own.
    let properties = response.all("propstat").filter { found in
      found.child("status").map { $0.text.contains(" 200") } ?? true
    }.compactMap { $0.child("prop") }
    func value(_ name: String) -> String? {
      properties.lazy.compactMap { $0.child(name)?.text }.map(Self.trimmed).first { !$0.isEmpty }
    }
    isFolder =
      properties.contains { $0.child("resourcetype")?.child("collection") != nil }
      || spelled.utf8.last == UInt8(ascii: "/")
    let end = isFolder && spelled.utf8.last != UInt8(ascii: "/") ? "/" : ""
    path = PercentEncoding.decode(spelled + end)
    length = value("getcontentlength")
    modified = value("getlastmodified").flatMap(HTTPDate.time)
    status = response.child("status").map { Self.trimmed($0.text) }
  }

  /// Whether it is a folder's own entry.
  func isOwn(of folder: String) -> Bool { path == folder || path.map { $0 + "/" } == folder }

  /// The path of the folder that it is in, with a slash at its end.
  var parent: String? {
    guard let path = path?.utf8 else { return nil }
    let end = path.last == UInt8(ascii: "/") ? path.dropLast() : path[...]
    return end.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(end[...$0])) }
  }

  /// The name in a folder, else the path, fit to be shown.
  func name(in folder: String) -> String {
    guard let path, parent == folder else { return shownPath }
    return SafeText.quote(String(Substring(path.utf8.dropFirst(folder.utf8.count))))
  }

  var shownPath: String { SafeText.quote(path ?? href) }

  private static func trimmed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
