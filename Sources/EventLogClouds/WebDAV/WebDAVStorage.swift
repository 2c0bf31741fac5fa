public import EventLog
import Synchronization

/// A folder of a WebDAV server, such as Nextcloud's or a network storage's, as a place for one
/// user's events.
///
/// It is created when the first object is put. Pass it to `ObjectRemote`.
public struct WebDAVStorage: ObjectStorage {
  /// `davs://HOST/PATH`.
  public let address: String
  /// The folder's own address, with a slash at its end.
  private let base: String
  /// Its path, without the host.
  private let path: String
  private let service: WebDAVService
  var client: CloudClient
  private let random: RandomText
  private let leftOvers = LeftOvers()

  /// Creates a storage for a folder.
  ///
  /// - Parameters:
  ///   - url: The address of the folder, which begins with `https://`. On this device itself, for
  ///     tests, it may begin with `http://`.
  ///   - credentials: Returns the name and password, or `nil` for a server that needs none.
  /// - Throws: `usage` if the address isn't one of these.
  public init(
    url: String,
    credentials: @escaping @Sendable () async throws(EventLogError) -> WebDAVCredentials?
  ) throws(EventLogError) {
    guard let place = WebDAVPlace(url: url) else {
      throw EventLogError(
        usage: "A WebDAV folder needs an address that begins with https://.",
        hint: "For example: https://cloud.example.org/remote.php/dav/files/ada/eventlog")
    }
    self.init(place, credentials: credentials, client: CloudClient(.system), random: .system)
  }

  package init(
    _ place: WebDAVPlace,
    credentials: @escaping @Sendable () async throws(EventLogError) -> WebDAVCredentials?,
    client: CloudClient, random: RandomText
  ) {
    address = place.address
    base = place.url
    path = RequestURL(place.url).path
    service = WebDAVService(credentials: credentials)
    (self.client, self.random) = (client, random)
  }

  /// Puts it under a name of its own, and gives it its name where nothing has it.
  ///
  /// What puts that were cut off left behind a day ago is removed.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    for old in leftOvers.take() where (try? await remove(old)) == nil { break }
    let temporary = WebDAVListing.temporaryName(random)
    try await write(temporary, bytes)
    var move = HTTPRequest("MOVE", url(of: temporary))
    move.headers = [HTTPHeader("Destination", url(of: name)), HTTPHeader("Overwrite", "F")]
    let (kind, answer) = try await send(move, isReading: false)
    if [201, 204].contains(answer.status) { return true }
    // Moved by a request whose answer was lost, or taken by somebody else.
    guard kind == .missing || answer.status == 412 else {
      throw failure(answer, isReading: false)
    }
    if kind == .taken { try await remove(temporary) }
    return false
  }

  private func write(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) {
    let put = HTTPRequest(
      "PUT", url(of: name), headers: [HTTPHeader("Content-Type", "application/x-ndjson")],
      body: bytes)
    var (kind, answer) = try await send(put, isReading: false)
    // The folder is not there yet.
    if kind == .missing || answer.status == 409 {
      let (made, madeAnswer) = try await client.send(
        HTTPRequest("MKCOL", base), to: service, at: address, isReading: false,
        accepting: [405])
      // Somebody else may have made it meanwhile.
      guard made == .done || madeAnswer.status == 405 else {
        throw CloudFailure(
          .wrong, "the folder can't be created (\(madeAnswer.status))",
          hint: "Create the folder around it on the server first."
        ).error(at: address, isReading: false)
      }
      (kind, answer) = try await send(put, isReading: false)
    }
    guard [200, 201, 204].contains(answer.status) else {
      throw failure(answer, isReading: false)
    }
  }

  /// Returns the objects after a name. The server lists all of them each time.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    var request = HTTPRequest("PROPFIND", base)
    request.headers = [
      HTTPHeader("Depth", "1"), HTTPHeader("Content-Type", "application/xml; charset=utf-8"),
    ]
    request.body = WebDAVListing.request
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    let (kind, answer) = try await send(request, isReading: true)
    if kind == .missing { return [] }
    guard answer.status == 207 else { throw failure(answer, isReading: true) }
    guard let listing = WebDAVListing(answer.body, in: path) else {
      throw CloudFailure.senseless(answer).error(at: address, isReading: true)
    }
    if let now = answer.date { leftOvers.note(listing.temporaries, at: now) }
    return listing.objects.filter { object in
      name.map { $0.precedes(object.name) } ?? true
    }
  }

  /// Returns all objects after a name: there is one page.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    (try await list(after: name), true)
  }

  /// Returns the contents of an object, or `nil` if it doesn't exist.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    var request = HTTPRequest("GET", url(of: name))
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    let (kind, answer) = try await send(request, isReading: true)
    if kind == .missing { return nil }
    guard answer.status == 200 else { throw failure(answer, isReading: true) }
    return answer.body
  }

  /// Removes an object, if it exists.
  public func remove(_ name: String) async throws(EventLogError) {
    let (kind, answer) = try await send(
      HTTPRequest("DELETE", url(of: name)), isReading: false)
    guard kind == .missing || [200, 202, 204].contains(answer.status) else {
      throw failure(answer, isReading: false)
    }
  }

  private func url(of name: String) -> String { base + PercentEncoding.encode(name) }

  private func send(
    _ request: HTTPRequest, isReading: Bool
  ) async throws(EventLogError) -> (AnswerClass, HTTPAnswer) {
    try await client.send(request, to: service, at: address, isReading: isReading)
  }

  private func failure(_ answer: HTTPAnswer, isReading: Bool) -> EventLogError {
    service.error(of: answer, at: address, isReading: isReading)
  }
}

/// What puts that were cut off have left in a folder.
private final class LeftOvers: Sendable {
  /// What is so much older than the server's time is nobody's any more, in milliseconds: a put
  /// takes minutes.
  private static let age: Int64 = 24 * 3_600_000
  /// So many are removed in a run: it has something else to do.
  private static let countMax = 16

  private let names = Mutex<[String]>([])

  /// - Parameter now: The server's time, by which it also says when a file was changed.
  func note(_ temporaries: [(name: String, modified: Timestamp)], at now: Timestamp) {
    let old = temporaries.filter { $0.modified.milliseconds < now.milliseconds - Self.age }
    names.withLock { $0 = old.prefix(Self.countMax).map(\.name) }
  }

  /// Their names, once.
  func take() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }
}

/// The name and password of a WebDAV server's user.
public struct WebDAVCredentials: Sendable {
  /// The name.
  public var user: String
  /// The password. Many servers give out one for each app.
  public var password: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: The name.
  ///   - password: The password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

/// A folder of a WebDAV server.
package struct WebDAVPlace: Sendable, Hashable {
  /// As shown to the user.
  package let address: String
  /// As requested, with a slash at its end.
  package let url: String

  /// - Parameter url: `https://…`, or `http://…` on this machine itself.
  package init?(url: String) {
    let isSecure = url.hasPrefix("https://")
    guard isSecure || url.hasPrefix("http://") else { return nil }
    let parts = RequestURL(url)
    let host = parts.host.split(separator: ":", omittingEmptySubsequences: false).first ?? ""
    // A name or password in an address would be shown, and kept.
    guard !host.isEmpty, parts.query.isEmpty, !parts.host.contains("@"), !url.contains("#"),
      isSecure || ["127.0.0.1", "localhost", "[::1]"].contains(Self.hostName(parts.host)),
      HTTPRequest("GET", url).isSound
    else { return nil }
    var path = parts.path
    while path.hasSuffix("/") { path.removeLast() }
    address = "\(isSecure ? "davs" : "dav")://\(parts.host)\(path)"
    self.url = "\(isSecure ? "https" : "http")://\(parts.host)\(path)/"
  }

  private static func hostName(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
    return String(host.prefix { $0 != ":" })
  }
}
