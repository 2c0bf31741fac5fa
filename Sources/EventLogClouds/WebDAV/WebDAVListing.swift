import EventLog
import EventLogRemotes

/// The response to a `PROPFIND` of a folder: RFC 4918, section 9.1.
struct WebDAVListing {
  /// The body of the request, with the needed properties.
  static let request = Array(
    """
    <?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/>\
    <getlastmodified/></prop></propfind>
    """.utf8)

  /// The files of the folder, sorted by name.
  private(set) var objects: [StoredObject] = []
  /// The temporary files, which may belong to unfinished puts, with their modification times.
  private(set) var temporaries: [(name: String, modified: Timestamp)] = []
  private(set) var skipped = SkippedEntries()
  /// Whether the folder's path in the response isn't the requested one, because a proxy rewrites
  /// paths.
  let hasOtherPath: Bool

  /// - Parameter path: The requested path, with a trailing slash.
  /// - Throws: The failure of a response that isn't a listing of this folder.
  init(_ response: HTTPResponse, of path: String) throws(CloudFailure) {
    guard let root = XMLElement(parsing: response.body), root.name == "multistatus" else {
      throw .unparsable(response)
    }
    let requestedPath = PercentEncoding.decode(path) ?? path
    let entries = root.all("response").map { WebDAVEntry($0) }
    let folder = try Self.folder(of: entries, requestedPath)
    hasOtherPath = folder != requestedPath
    for entry in entries where !entry.isFolder && !entry.isOwn(of: folder) {
      do throws(Reason) { try add(entry, in: folder) } catch {
        skipped.add(entry.name(in: folder), because: error.text)
      }
    }
    objects.sort { $0.name.precedes($1.name) }
  }

  // MARK: - The folder

  /// Returns the path of the folder as the server spells it, with a trailing slash.
  ///
  /// A listing of a folder also contains the folder itself.
  private static func folder(
    of entries: [WebDAVEntry], _ requestedPath: String
  ) throws(CloudFailure) -> String {
    if let own = entries.first(where: { $0.isOwn(of: requestedPath) }) {
      if !own.isFolder, own.length != nil {
        throw CloudFailure(
          .misconfigured, "it is a file, not a folder", hint: "Name the folder that is to be used.")
      }
      return requestedPath
    }
    // If a proxy rewrites paths, the folder is the one with the most entries.
    let counts = Dictionary(grouping: entries.compactMap(\.parent)) { $0 }.mapValues(\.count)
    let folders = entries.filter(\.isFolder).compactMap(\.path)
    let most = folders.map { counts[$0] ?? 0 }.max() ?? 0
    let found = folders.first { (counts[$0] ?? 0) == most }
    let folder = found ?? requestedPath
    let hasFiles = entries.contains { !$0.isFolder }
    if hasFiles ? (counts[folder] ?? 0) > 0 : found != nil { return folder }
    let other = entries.first.map { "contains \"\($0.displayPath)\", which is not in" }
    throw CloudFailure(
      .malformed,
      "its listing \(other ?? "doesn't contain") the folder \"\(SafeText.quote(requestedPath))\"",
      hint: "Check the address. A proxy in between may change paths.")
  }

  // MARK: - Files

  private struct Reason: Error {
    let text: String
  }

  private mutating func add(_ entry: WebDAVEntry, in folder: String) throws(Reason) {
    guard entry.path != nil else { throw Reason(text: "has a name that is not UTF-8") }
    guard entry.parent == folder, let name = entry.name else {
      throw Reason(text: "is in another folder")
    }
    guard let length = entry.length else {
      throw Reason(
        text: entry.status.map { "has only the status \"\(SafeText.quote($0))\"" }
          ?? "has no length")
    }
    guard let byteCount = Int64(length), byteCount >= 0 else {
      throw Reason(text: "has the length \"\(SafeText.quote(length))\"")
    }
    if Self.isTemporary(name) {
      // Files of unknown age are never removed.
      if let modified = entry.modified { temporaries.append((name, modified)) }
    } else if !name.utf8.starts(with: ".".utf8) {
      objects.append(StoredObject(name: name, byteCount: byteCount))
    }
  }

  // MARK: - Temporary files

  /// The temporary name of an object during a put.
  ///
  /// It doesn't begin with a dot, because some servers refuse such names, and others don't list
  /// them, so that the remains of interrupted puts would never be found.
  static func temporaryName(_ random: RandomText) -> String { "eventlog-\(random.next(16)).tmp" }

  /// Whether a name is temporary. The names of earlier versions began with a dot.
  private static func isTemporary(_ name: String) -> Bool {
    let bytes = Array(name.utf8.starts(with: ".".utf8) ? name.utf8.dropFirst() : name.utf8[...])
    return bytes.count == 29 && bytes.starts(with: "eventlog-".utf8)
      && bytes.suffix(4).elementsEqual(".tmp".utf8)
      && bytes[9..<25].allSatisfy { "abcdefghijklmnopqrstuvwxyz234567".utf8.contains($0) }
  }
}
