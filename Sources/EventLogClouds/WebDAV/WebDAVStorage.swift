public import EventLog
public import EventLogRemotes

/// A folder of a WebDAV server, such as Nextcloud's or a network storage's, as a place for one
/// user's events.
///
/// The folder is created when the first object is put. Pass the storage to `ObjectRemote`.
public struct WebDAVStorage: ObjectStorage {
  /// `davs://HOST/PATH`.
  public let address: String
  /// The URL of the folder, with a trailing slash.
  private let base: String
  /// The path of the folder's URL.
  private let path: String
  private let service: WebDAVService
  private var client: CloudClient
  private let random: RandomText
  /// The storage of the folder that contains this one and is created with it, or empty.
  private let outer: [WebDAVStorage]
  private let folder = WebDAVFolder()
  private let skipped = SkippedEntryLog()

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
    let location: WebDAVLocation
    do throws(AddressError) { location = try WebDAVLocation(reading: url) } catch {
      throw EventLogError(
        usage: "The address of a WebDAV folder begins with https://, and this one"
          + " \(error.predicate).",
        hint: error == .noServer
          ? "For example: https://cloud.example.org/remote.php/dav/files/ada/eventlog" : error.hint)
    }
    self.init(location, credentials: credentials, client: CloudClient(.system), random: .system)
  }

  package init(
    _ location: WebDAVLocation,
    credentials: @escaping @Sendable () async throws(EventLogError) -> WebDAVCredentials?,
    client: CloudClient, random: RandomText
  ) {
    address = location.address
    base = location.url
    path = RequestURL(location.url).path
    service = WebDAVService(credentials: credentials)
    (self.client, self.random, outer) = (client, random, [])
  }

  private init(_ name: String, in outer: WebDAVStorage) {
    (address, base) = ("\(outer.address)/\(name)", "\(outer.base)\(name)/")
    path = RequestURL(base).path
    (service, client, random) = (outer.service, outer.client, outer.random)
    self.outer = [outer]
  }

  /// A folder in this folder.
  public func storage(named name: String) -> (any ObjectStorage)? {
    WebDAVStorage(name, in: self)
  }

  /// Puts an object under a temporary name, and renames it, unless its name exists.
  ///
  /// If the server can't move files, the object is put on the condition that its name is free.
  /// Temporary files of interrupted puts are removed when they are a day old.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    let wasListed = folder.isListed
    do throws(EventLogError) { return try await store(name, bytes) } catch {
      // Without a listing, the folder's state is unknown, and some servers return 500 for puts that
      // can't succeed. In a sync, the listing comes first.
      guard !wasListed, error.code == .remoteFailed, error.retryAfter == nil,
        (try? await list(after: nil)) != nil
      else { throw error }
      return try await store(name, bytes)
    }
  }

  private func store(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    await removeTemporaryFiles()
    if folder.isMissing { try await create() }
    if folder.naming != .put, let isNew = try await putAndMove(name, bytes) { return isNew }
    return try await putDirectly(name, bytes)
  }

  /// Returns the objects after a name.
  ///
  /// The server lists all of them each time.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    var request = HTTPRequest("PROPFIND", base)
    request.headers = [
      HTTPHeader("Depth", "1"), HTTPHeader("Content-Type", "application/xml; charset=utf-8"),
    ]
    request.body = WebDAVListing.request
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    let (listing, now) = try await client.send(
      request, to: service, at: address, isReading: true
    ) { [service, path] kind, response throws(CloudFailure) -> (WebDAVListing?, Timestamp?) in
      if kind == .notFound { return (nil, nil) }
      guard response.status == 207 else {
        // A proxy may temporarily respond with a page of its own.
        throw (200..<300).contains(response.status)
          ? .unparsable(response) : service.failure(of: response, to: request)
      }
      return (try WebDAVListing(response, of: path), response.date)
    }
    folder.update(listing, at: now)
    skipped.record(listing?.skipped ?? SkippedEntries(), isFirst: true)
    return (listing?.objects ?? []).filter { object in
      name.map { $0.precedes(object.name) } ?? true
    }
  }

  /// Returns all objects after a name, because there is only one page.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    (try await list(after: name), true)
  }

  /// Returns the contents of an object, or `nil` if it doesn't exist.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try await read(name, isReading: true)
  }

  /// - Parameter isReading: Whether the operation that needs the contents only reads.
  private func read(
    _ name: String, isReading: Bool
  ) async throws(EventLogError) -> [UInt8]? {
    var request = HTTPRequest("GET", url(of: name))
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    let (kind, response) = try await send(request, isReading: isReading)
    if kind == .notFound { return nil }
    guard response.status == 200 else { throw failure(response, to: request, isReading: isReading) }
    return response.body
  }

  /// Removes an object, if it exists.
  public func remove(_ name: String) async throws(EventLogError) {
    let request = HTTPRequest("DELETE", url(of: name))
    let (kind, response) = try await send(request)
    guard kind == .notFound || [200, 202, 204].contains(response.status) else {
      throw failure(response, to: request)
    }
  }
}

extension WebDAVStorage: RetryingStorage, NoticingStorage {
  package func forOneRun() -> any ObjectStorage {
    var storage = self
    storage.client = client.forOneRun()
    return storage
  }

  package var notices: [String] { skipped.notices(at: address) }
}

// MARK: - Putting

extension WebDAVStorage {
  /// The statuses with which a server refuses a file or its name.
  private static let putRefusals: Set<Int> = [400, 403, 404, 405, 409, 410, 415, 422, 501]
  /// The statuses with which a server refuses a move.
  ///
  /// 502 means that the destination seems to be on another server: RFC 4918, section 9.9.4.
  private static let moveRefusals = putRefusals.union([502])

  private func create() async throws(EventLogError) {
    let request = HTTPRequest("MKCOL", base)
    var (kind, response) = try await send(request, accepting: Self.putRefusals)
    if let outer = outer.first, [404, 409, 410].contains(response.status) {
      try await outer.create()
      (kind, response) = try await send(request, accepting: Self.putRefusals)
    }
    folder.markCreated()
    // List the folder, because its path may be another one, as with a proxy. Another device may
    // have created it meanwhile, for which servers return various statuses.
    _ = try await list(after: nil)
    guard kind != .success, folder.isMissing else { return folder.markCreated() }
    throw CloudFailure(
      response.status == 403 ? .forbidden : .misconfigured,
      "the folder can't be created (it answered \(response.status) to MKCOL)",
      hint: "Create the folder around it on the server first, or this one."
    ).error(at: address, isReading: false)
  }

  /// Puts a temporary file, and moves it to its name.
  ///
  /// - Returns: Whether the name was free, or nil if the server refuses the file or the move.
  private func putAndMove(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool? {
    let temporary = WebDAVListing.temporaryName(random)
    do throws(EventLogError) {
      let response = try await write(temporary, bytes, accepting: Self.putRefusals)
      let isWritten = [200, 201, 204].contains(response.status)
      // The put may have listed the folder, and found another path.
      if isWritten, folder.naming != .put,
        let isNew = try await move(temporary, to: name, bytes)
      {
        return isNew
      }
      guard isWritten || Self.putRefusals.contains(response.status) else {
        throw failure(response, to: HTTPRequest("PUT", base))
      }
      folder.setNaming(.put)
      // An earlier attempt, whose response was lost, may have written the file.
      await discard(temporary)
      return nil
    } catch {
      // If the server requests a pause, don't send anything else.
      if error.retryAfter == nil {
        await discard(temporary)
      } else {
        folder.scheduleRemoval(of: temporary)
      }
      throw error
    }
  }

  /// - Returns: Whether the name was free, or nil if the server refuses the method or moves the
  ///   file to another folder.
  private func move(
    _ temporary: String, to name: String, _ bytes: [UInt8]
  ) async throws(EventLogError) -> Bool? {
    var request = HTTPRequest("MOVE", url(of: temporary))
    request.headers = [HTTPHeader("Destination", url(of: name)), HTTPHeader("Overwrite", "F")]
    let response = try await send(request, accepting: Self.moveRefusals).response
    switch response.status {
    case 201, 204:
      guard folder.naming == .unprovenMove else { return true }
      guard try await exists(name) else { return nil }
      folder.setNaming(.move)
      return true
    case 412:
      await discard(temporary)
      return false
    case let status where Self.moveRefusals.contains(status):
      // An earlier attempt, whose response was lost, may have moved the file.
      guard let existing = try await read(name, isReading: false), existing == bytes else {
        return nil
      }
      await discard(temporary)
      return true
    default: throw failure(response, to: request)
    }
  }

  private func exists(_ name: String) async throws(EventLogError) -> Bool {
    let request = HTTPRequest("HEAD", url(of: name))
    let (kind, response) = try await send(request, accepting: Self.putRefusals)
    if kind == .notFound { return false }
    if response.status == 200 { return true }
    // Some servers don't support HEAD.
    return try await read(name, isReading: false) != nil
  }

  /// Puts an object under its own name, without a temporary file.
  private func putDirectly(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    // Check first, because some servers ignore the condition.
    if let existing = try await read(name, isReading: false) { return existing == bytes }
    let response = try await write(name, bytes, [HTTPHeader("If-None-Match", "*")])
    switch response.status {
    case 200, 201, 204: return true
    case 412: return false
    default: throw failure(response, to: HTTPRequest("PUT", base))
    }
  }

  private func write(
    _ name: String, _ bytes: [UInt8], _ headers: [HTTPHeader] = [],
    accepting accepted: Set<Int> = []
  ) async throws(EventLogError) -> HTTPResponse {
    let put = HTTPRequest(
      "PUT", url(of: name),
      headers: [HTTPHeader("Content-Type", "application/x-ndjson")] + headers, body: bytes)
    let response = try await send(put, accepting: accepted).response
    // The folder doesn't exist: it was never listed, or has been removed since.
    guard [404, 409, 410].contains(response.status) else { return response }
    try await create()
    return try await send(put, accepting: accepted).response
  }

  /// Removes scheduled temporary files, until a removal fails.
  private func removeTemporaryFiles() async {
    var names = folder.takeFilesToRemove()[...]
    while let name = names.first, (try? await remove(name)) != nil { names.removeFirst() }
    for name in names { folder.scheduleRemoval(of: name) }
  }

  /// Removes a temporary file, or schedules its removal if that fails.
  private func discard(_ temporary: String) async {
    do throws(EventLogError) { try await remove(temporary) } catch {
      folder.scheduleRemoval(of: temporary)
    }
  }

  // MARK: - Requests

  private func url(of name: String) -> String { base + PercentEncoding.encode(name) }

  private func send(
    _ request: HTTPRequest, accepting accepted: Set<Int> = [], isReading: Bool = false
  ) async throws(EventLogError) -> (kind: ResponseClass, response: HTTPResponse) {
    do throws(CloudFailure) {
      return try await client.send(request, to: service, accepting: accepted)
    } catch {
      if Task.isCancelled { try EventLogError.checkCancellation() }
      throw error.error(at: address, isReading: isReading)
    }
  }

  private func failure(
    _ response: HTTPResponse, to request: HTTPRequest, isReading: Bool = false
  ) -> EventLogError {
    service.failure(of: response, to: request).error(at: address, isReading: isReading)
  }
}
