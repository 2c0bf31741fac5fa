import EventLog

/// What a `PROPFIND` of a folder answers: RFC 4918, section 9.1.
struct WebDAVListing {
  /// What the request asks for.
  static let request = Array(
    """
    <?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/>\
    <getlastmodified/></prop></propfind>
    """.utf8)

  /// The files of the folder, by their names.
  private(set) var objects: [StoredObject] = []
  /// Files that a put has begun and perhaps not ended, and when they were changed last.
  private(set) var temporaries: [(name: String, modified: Timestamp)] = []

  /// Nil for an answer that is no such listing.
  init?(_ body: [UInt8], in path: String) {
    guard let root = XMLElement(parsing: body), root.name == "multistatus",
      let folder = PercentEncoding.decode(path)
    else { return nil }
    for response in root.all("response") {
      guard let href = response.child("href")?.text,
        let place = PercentEncoding.decode(Self.path(of: Self.trimmed(href)))
      else { return nil }
      let properties = response.all("propstat").compactMap { $0.child("prop") }
      let isFolder = properties.contains { $0.child("resourcetype")?.child("collection") != nil }
      // The folder itself, and folders in it.
      if isFolder || place == folder || place + "/" == folder { continue }
      guard place.utf8.starts(with: folder.utf8) else { return nil }
      let name = String(Substring(place.utf8.dropFirst(folder.utf8.count)))
      guard add(name, properties) else { return nil }
    }
    objects.sort { $0.name.precedes($1.name) }
  }

  private mutating func add(_ name: String, _ properties: [XMLElement]) -> Bool {
    func value(_ property: String) -> String? {
      properties.compactMap { $0.child(property)?.text }.first.map(Self.trimmed)
    }
    guard !name.isEmpty, !name.contains("/"), let size = value("getcontentlength"),
      let byteCount = Int64(size), byteCount >= 0
    else { return false }
    if Self.isTemporary(name) {
      // One of unknown age stays.
      if let modified = value("getlastmodified").flatMap(HTTPDate.time) {
        temporaries.append((name, modified))
      }
    } else if !name.utf8.starts(with: ".".utf8) {
      objects.append(StoredObject(name: name, byteCount: byteCount))
    }
    return true
  }

  /// A server may name a file by its whole address.
  private static func path(of href: String) -> String {
    href.contains("://") ? RequestURL(href).path : href
  }

  private static func trimmed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  // MARK: - Temporary files

  /// The name under which an object is written.
  static func temporaryName(_ random: RandomText) -> String { ".eventlog-\(random.next(16)).tmp" }

  /// Whether it is such a name, and nobody else's.
  private static func isTemporary(_ name: String) -> Bool {
    guard Path.isTemporary(name) else { return false }
    return name.utf8.dropFirst(10).dropLast(4).count == 16
      && name.utf8.dropFirst(10).dropLast(4).allSatisfy {
        "abcdefghijklmnopqrstuvwxyz234567".utf8.contains($0)
      }
  }
}
