public import EventLog
public import EventLogRemotes

/// A bucket of S3, or of a compatible server, as a place for one user's events.
///
/// Objects are put conditionally, so the server must support `If-None-Match`. Pass the storage to
/// `ObjectRemote`.
public struct BucketStorage: ObjectStorage {
  /// `s3://BUCKET/PREFIX?region=REGION`, and the endpoint, if it isn't AWS's.
  public let address: String
  private let location: BucketLocation
  private let prefix: String
  /// The URL of the bucket, without a trailing slash.
  private let base: String
  private let service: BucketService
  private var client: CloudClient
  private let skipped = SkippedEntryLog()

  /// Creates a storage for the objects under a prefix of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: The name of the bucket, which must exist.
  ///   - prefix: The prefix of the objects' names. Use a different one for each user, such as
  ///     `users/ada`.
  ///   - region: The region of the bucket, such as `eu-central-1`.
  ///   - endpoint: The address of a server other than AWS, such as `https://objects.example.org`.
  ///   - credentials: Returns the credentials. It is called for the first request, and again after
  ///     the server has rejected the credentials.
  public init(
    bucket: String, prefix: String, region: String, endpoint: String? = nil,
    credentials: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials
  ) {
    self.init(
      BucketLocation(bucket: bucket, prefix: prefix, region: region, endpoint: endpoint),
      credentials: credentials, client: CloudClient(.system), clock: .system)
  }

  package init(
    _ location: BucketLocation,
    credentials: @escaping @Sendable () async throws(EventLogError) -> BucketCredentials,
    client: CloudClient, clock: WallClock
  ) {
    self.init(
      location,
      service: BucketService(region: location.region, clock: clock, credentials: credentials),
      client: client)
  }

  private init(_ location: BucketLocation, service: BucketService, client: CloudClient) {
    address = location.address
    self.location = location
    prefix = location.keyPrefix
    base = location.base
    (self.service, self.client) = (service, client)
  }

  /// `true`: S3 has its own checksums.
  public var checksItself: Bool { true }

  /// The objects under a longer prefix.
  public func storage(named name: String) -> (any ObjectStorage)? {
    BucketStorage(location.nested(name), service: service, client: client)
  }

  /// Creates an object, unless one with the name exists.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await put(name, bytes, sha256: SHA256.digest(bytes))
  }

  package func put(
    _ name: String, _ bytes: [UInt8], sha256: [UInt8]
  ) async throws(EventLogError) -> Bool {
    var request = HTTPRequest("PUT", url(of: name), body: bytes)
    request.headers = [
      HTTPHeader("Content-Type", "application/x-ndjson"), HTTPHeader("If-None-Match", "*"),
      RequestSignature.contentHeader(sha256),
    ]
    let (kind, response) = try await send(request, isReading: false)
    switch kind {
    // All compatible servers return an ETag. A 200 without one may be from a proxy.
    case .success where response.header("etag") != nil: return true
    case .alreadyExists: return false
    default: throw failure(response, isReading: false)
    }
  }

  /// Returns the next objects, at most a thousand.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await page(after: name).objects
  }

  /// Returns the next objects, at most a thousand, and whether they are the last ones.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    // With a delimiter, the lists leave out the objects of nested storages.
    var query = [
      "delimiter=%2F", "encoding-type=url", "list-type=2",
      "prefix=\(PercentEncoding.encode(prefix))",
    ]
    if let name { query.append("start-after=\(PercentEncoding.encode(prefix + name))") }
    let request = HTTPRequest("GET", "\(base)/?\(query.joined(separator: "&"))")
    let page = try await client.send(
      request, to: service, at: address, isReading: true
    ) { [service, prefix] kind, response throws(CloudFailure) in
      guard kind == .success else { throw service.failure(kind, response, to: request) }
      return try BucketPage(response, prefix: prefix)
    }
    skipped.record(page.skipped, isFirst: name == nil)
    return (page.objects, page.isLast)
  }

  /// Returns the contents of an object, or `nil` if it doesn't exist.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    var request = HTTPRequest("GET", url(of: name))
    request.limits.bodyBytes = CloudLimits.objectBytesMax
    let (kind, response) = try await send(request, isReading: true)
    if kind == .notFound { return nil }
    guard response.status == 200 else { throw failure(response, isReading: true) }
    return response.body
  }

  /// Removes an object, if it exists.
  public func remove(_ name: String) async throws(EventLogError) {
    let (kind, response) = try await send(
      HTTPRequest("DELETE", url(of: name)), isReading: false)
    guard kind != .alreadyExists else { throw failure(response, isReading: false) }
  }

  private func url(of name: String) -> String {
    "\(base)/\(PercentEncoding.encode(prefix + name, keeping: "/"))"
  }

  private func send(
    _ request: HTTPRequest, isReading: Bool
  ) async throws(EventLogError) -> (ResponseClass, HTTPResponse) {
    try await client.send(request, to: service, at: address, isReading: isReading)
  }

  private func failure(_ response: HTTPResponse, isReading: Bool) -> EventLogError {
    service.error(of: response, at: address, isReading: isReading)
  }
}

extension BucketStorage: RetryingStorage, NoticingStorage, HashedStorage {
  package var notices: [String] { skipped.notices(at: address) }

  package func forOneRun() -> any ObjectStorage {
    var storage = self
    storage.client = client.forOneRun()
    return storage
  }
}
