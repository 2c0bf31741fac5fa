import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How WebDAV servers want to know who asks: by a name and password in each request.
struct WebDAVService: CloudService {
  let credentials: @Sendable () async throws(EventLogError) -> WebDAVCredentials?

  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest {
    let known: WebDAVCredentials?
    do throws(EventLogError) { known = try await credentials() } catch {
      throw CloudFailure(.signIn, "there are no credentials", hint: error.hint ?? error.message)
    }
    guard let known else { return request }
    var request = request
    let word = Data("\(known.user):\(known.password)".utf8).base64EncodedString()
    request.headers.append(HTTPHeader("Authorization", "Basic \(word)"))
    return request
  }

  func word(of answer: HTTPAnswer) -> String? { nil }
}

/// What a `PROPFIND` of a folder answers: RFC 4918, section 9.1.
enum WebDAVListing {
  /// The files of a folder by their names; nil for an answer that is no such listing.
  static func objects(_ body: [UInt8], in path: String) -> [StoredObject]? {
    guard let root = XMLElement(parsing: body), root.name == "multistatus",
      let folder = PercentEncoding.decode(path)
    else { return nil }
    var objects: [StoredObject] = []
    for response in root.all("response") {
      guard let href = response.child("href")?.text,
        let place = PercentEncoding.decode(Self.path(of: trimmed(href)))
      else { return nil }
      let properties = response.all("propstat").compactMap { $0.child("prop") }
      let isFolder = properties.contains { $0.child("resourcetype")?.child("collection") != nil }
      // The folder itself, and folders in it.
      if isFolder || place == folder || place + "/" == folder { continue }
      guard place.utf8.starts(with: folder.utf8) else { return nil }
      let name = String(Substring(place.utf8.dropFirst(folder.utf8.count)))
      guard !name.isEmpty, !name.contains("/"),
        let size = properties.compactMap({ $0.child("getcontentlength")?.text }).first,
        let byteCount = Int64(trimmed(size)), byteCount >= 0
      else { return nil }
      objects.append(StoredObject(name: name, byteCount: byteCount))
    }
    return objects.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// A server may name a file by its whole address.
  private static func path(of href: String) -> String {
    href.contains("://") ? RequestURL(href).path : href
  }

  private static func trimmed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
