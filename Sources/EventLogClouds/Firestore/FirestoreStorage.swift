public import EventLog
public import EventLogRemotes

/// The objects of one user in Firestore, as a remote for that user's events.
///
/// They are in the collection `users/USER/objects`. With the rules in `Docs/firestore.rules`, no
/// other user can read or write them. Pass it to `ObjectRemote`.
public struct FirestoreStorage: ObjectStorage {
  /// `firestore://PROJECT/USER`.
  public let address: String
  private let documents: FirestoreDocuments
  private var client: CloudClient
  private let location: FirestoreLocation
  private let listedCountMax: Int
  private let service: FirestoreService
  private let sizes = ObjectSizes()

  /// Creates a storage for a user's objects.
  ///
  /// - Parameters:
  ///   - project: The ID of the Firebase project.
  ///   - user: The user's Firebase ID.
  ///   - token: Returns an ID token of the user. The argument is `true` if the last one was
  ///     rejected.
  public init(
    project: String, user: String,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String
  ) {
    self.init(
      FirestoreLocation(project: project, user: user), token: token, client: CloudClient(.system))
  }

  package init(
    _ location: FirestoreLocation,
    token: @escaping @Sendable (_ isRejected: Bool) async throws(EventLogError) -> String,
    client: CloudClient, listedCountMax: Int? = nil
  ) {
    self.init(
      location, "objects", FirestoreService(token), client,
      listedCountMax ?? CloudLimits.listedCountMax)
  }

  /// - Parameter collection: The name of the collection in the user's document.
  private init(
    _ location: FirestoreLocation, _ collection: String, _ service: FirestoreService,
    _ client: CloudClient, _ listedCountMax: Int
  ) {
    address = location.address
    documents = FirestoreDocuments(location, collection)
    (self.location, self.service, self.client) = (location, service, client)
    self.listedCountMax = listedCountMax
  }

  /// The collection `users/USER/NAME`, which the security rules have to allow.
  public func storage(named name: String) -> (any ObjectStorage)? {
    FirestoreStorage(location, name, service, client, listedCountMax)
  }

  /// 896 KiB: a part is one document.
  public var partBytes: Int { FirestoreDocuments.partBytes }

  /// 512 KiB: most objects fit into one document.
  public var rangeBytes: Int { 512 << 10 }

  /// `true`: Firestore has its own checksums.
  public var checksItself: Bool { true }

  /// Creates the documents of an object in one commit, unless one with its name exists.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    let isNew = try await commit(documents.creation(of: name, bytes))
    sizes[name] = Int64(bytes.count)
    return isNew
  }

  /// - Returns: False if one of the documents to create exists. Nothing was changed then.
  private func commit(_ writes: [JSONValue]) async throws(EventLogError) -> Bool {
    let (kind, response) = try await send(documents.database.commit(writes), isReading: false)
    switch kind {
    case .alreadyExists: return false
    // Check the body, because a proxy may return 200, too.
    case .success where documents.isCommitted(response.body, writes.count): return true
    default: throw failure(response, isReading: false)
    }
  }

  /// Returns the next objects, at most 300.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await page(after: name).objects
  }

  /// Returns the next objects, at most 300, and whether there are more.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    let found = try await query(documents.listing(after: name))
    return (found.map(\.object), found.count < FirestoreDocuments.pageCount)
  }

  /// Returns the objects that were put since a mark, by the server's time.
  ///
  /// The last minute is included again, because a slow commit appears later than its time. Returns
  /// `nil` if not even the last object is left, because the remote was emptied.
  public func changes(
    since mark: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? {
    guard let mark, let time = Timestamp(mark) else { return try await listAll() }
    var (objects, latest, from) = ([StoredObject](), time, time.milliseconds - 60_000)
    while true {
      let found = try await query(
        documents.listing(since: Timestamp(milliseconds: from) ?? Timestamp(trusted: 0)))
      try add(found, to: &objects)
      if objects.isEmpty { return nil }
      latest = max(latest, found.map(\.time).max() ?? latest)
      // If one millisecond has more objects than a page, only a full listing returns them all.
      guard found.count == FirestoreDocuments.pageCount else { break }
      guard let next = found.last?.time.milliseconds, next > from else { return nil }
      from = next
    }
    return (objects, latest.description)
  }

  private func listAll() async throws(EventLogError) -> ([StoredObject], String) {
    var (objects, latest) = ([StoredObject](), Timestamp(trusted: 0))
    while true {
      let last = objects.last?.name
      let found = try await query(documents.listing(after: last))
      try add(found, to: &objects)
      latest = max(latest, found.map(\.time).max() ?? latest)
      guard found.count == FirestoreDocuments.pageCount, let end = objects.last?.name else { break }
      guard last.map({ $0.precedes(end) }) ?? true else {
        throw endlessListing()
      }
    }
    return (objects, latest.description)
  }

  /// - Throws: `remoteFailed` if the listing is longer than the limit.
  private func add(
    _ found: [FoundObject], to objects: inout [StoredObject]
  ) throws(EventLogError) {
    objects += found.map(\.object)
    guard objects.count <= listedCountMax else { throw endlessListing() }
  }

  private func endlessListing() -> EventLogError {
    CloudFailure(.malformed, "its listing doesn't end").error(at: address, isReading: true)
  }

  private func query(_ request: HTTPRequest) async throws(EventLogError) -> [FoundObject] {
    let (kind, response) = try await send(request, isReading: true)
    guard kind == .success else { throw failure(response, isReading: true) }
    guard let found = documents.found(response.body) else { throw malformed(response) }
    sizes.add(
      Dictionary(
        found.map { ($0.object.name, $0.object.byteCount) }, uniquingKeysWith: { $1 }))
    return found
  }

  /// Returns the contents of an object, or `nil` if it doesn't exist.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let (kind, response) = try await send(documents.reading(name), isReading: true)
    if kind == .notFound { return nil }
    guard kind == .success else { throw failure(response, isReading: true) }
    guard let head = documents.head(response.body) else { throw malformed(response) }
    sizes[name] = Int64(head.byteCount)
    if head.parts == 1 {
      guard head.bytes.count == head.byteCount else { throw wrongLength }
      return head.bytes
    }
    let (rest, restResponse) = try await send(
      documents.reading(name, parts: head.parts), isReading: true)
    guard rest == .success, let parts = documents.parts(restResponse.body, of: name, head.parts)
    else {
      throw malformed(restResponse)
    }
    // A missing part means that the object has been removed meanwhile.
    guard !parts.contains(nil) else { return nil }
    let bytes = head.bytes + parts.flatMap { $0 ?? [] }
    guard bytes.count == head.byteCount else { throw wrongLength }
    return bytes
  }

  /// Deletes the documents of an object in one commit.
  public func remove(_ name: String) async throws(EventLogError) {
    var size = sizes[name]
    if size == nil {
      let (kind, response) = try await send(documents.readingSize(of: name), isReading: true)
      if kind == .notFound { return }
      guard kind == .success else { throw failure(response, isReading: true) }
      guard let found = documents.size(response.body) else { throw malformed(response) }
      size = found
    }
    // A larger object isn't Eventlog's, so the maximum number of parts is enough.
    let byteCount = min(Int(size ?? 0), CloudLimits.objectBytesMax)
    let parts = FirestoreDocuments.partCount(byteCount)
    guard try await commit(documents.removal(of: name, parts: parts)) else {
      throw CloudFailure(.transient, "\"\(name)\" was not removed")
        .error(at: address, isReading: false)
    }
    sizes[name] = nil
  }

  private func send(
    _ request: HTTPRequest, isReading: Bool
  ) async throws(EventLogError) -> (ResponseClass, HTTPResponse) {
    try await client.send(request, to: service, at: address, isReading: isReading)
  }

  private func failure(_ response: HTTPResponse, isReading: Bool) -> EventLogError {
    service.error(of: response, at: address, isReading: isReading)
  }

  private var wrongLength: EventLogError {
    CloudFailure(.malformed, "an object there is not as long as it says")
      .error(at: address, isReading: true)
  }

  private func malformed(_ response: HTTPResponse) -> EventLogError {
    CloudFailure.malformed(response).error(at: address, isReading: true)
  }
}

extension FirestoreStorage: RetryingStorage {
  package func forOneRun() -> any ObjectStorage {
    var storage = self
    storage.client = client.forOneRun()
    return storage
  }
}
