public import EventLog
public import EventLogRemotes

/// The records of one zone in a person's private CloudKit database, as a remote for that person's
/// events.
///
/// On Apple's systems, apps pass an implementation of ``CloudKitCalls``. On other systems, the
/// storage uses CloudKit Web Services. Pass it to `ObjectRemote`.
public struct CloudKitStorage: ObjectStorage {
  /// `cloudkit://CONTAINER/ENVIRONMENT`, and the zone, if it isn't `Eventlog`.
  public let address: String
  private var calls: any CloudKitCalls
  private var parts = CloudKitParts()
  private let sizes = ObjectSizes()

  /// Creates a storage that uses your implementation of the calls.
  ///
  /// - Parameters:
  ///   - calls: The calls, for a zone that contains nothing else.
  ///   - address: The address of the remote, as shown to the user. Use a different one for each
  ///     container, environment and zone.
  public init(_ calls: some CloudKitCalls, address: String) {
    (self.calls, self.address) = (calls, address)
  }

  private init(_ calls: any CloudKitCalls, _ address: String, _ parts: CloudKitParts) {
    (self.calls, self.address, self.parts) = (calls, address, parts)
  }

  /// Records of the same zone, whose names begin with `0-` and the name.
  public func storage(named name: String) -> (any ObjectStorage)? {
    CloudKitStorage(calls, address, CloudKitParts(prefix: "\(parts.prefix)0-\(name)-"))
  }

  /// 704 KiB: a part is one record.
  public var partBytes: Int { CloudKitParts.partBytes }

  /// Creates a storage that uses CloudKit Web Services.
  ///
  /// - Parameters:
  ///   - container: The ID of the container, such as `iCloud.com.example.diary`.
  ///   - environment: The environment of the container.
  ///   - zone: The name of the zone, which is created when the first object is put. Use a different
  ///     one for each user of one iCloud account.
  ///   - credentials: The app's token, and the web token of the person.
  public init(
    container: String, environment: Environment, zone: String = "Eventlog",
    credentials: CloudKitCredentials
  ) {
    self.init(
      CloudKitLocation(container: container, environment: environment, zone: zone),
      credentials: credentials, client: CloudClient(.system))
  }

  package init(_ location: CloudKitLocation, credentials: CloudKitCredentials, client: CloudClient)
  {
    self.init(
      CloudKitWebServices(location, credentials: credentials, client: client),
      address: location.address)
  }

  /// The environment of a CloudKit container.
  public enum Environment: String, Sendable, Hashable, CaseIterable {
    /// The environment of apps that run from Xcode.
    case development
    /// The environment of apps from the App Store and TestFlight.
    case production
  }

  /// 512 KiB: most objects fit into one record.
  public var rangeBytes: Int { 512 << 10 }

  /// `true`: CloudKit has its own checksums.
  public var checksItself: Bool { true }

  // MARK: - Writing

  /// Creates the records of an object in one atomic request, unless one with its name exists.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    let records = parts.records(name, bytes)
    let errors = try await mappingErrors(isReading: false) { () throws(CloudKitError) in
      try await modify(creating: records)
    }
    if errors.isEmpty {
      sizes[name] = Int64(bytes.count)
      return true
    }
    if errors.contains(where: { $0.reason == .exists }) { return false }
    let cause = errors.first { $0.reason != .atomicFailure }
    // The response doesn't name the record that caused the failure.
    if cause == nil, try await !lookup([parts.head(of: name)]).isEmpty { return false }
    throw error(cause ?? errors[0], isReading: false)
  }

  /// Deletes the records of an object in one atomic request.
  public func remove(_ name: String) async throws(EventLogError) {
    var size = sizes[name]
    if size == nil {
      guard let head = try await lookup([parts.head(of: name)]).first else { return }
      size = head.size
    }
    var names = parts.names(of: name, size: size ?? 0) ?? [parts.head(of: name)]
    while !names.isEmpty {
      let (now, errors) = (names, try await removal(of: names))
      if errors.allSatisfy({ $0.reason == .notFound }) { break }
      guard errors.allSatisfy({ [.notFound, .atomicFailure].contains($0.reason) }) else {
        throw error(errors.first { $0.reason != .atomicFailure } ?? errors[0])
      }
      // Some records didn't exist, so the atomic request deleted nothing.
      let existing = Set(try await lookup(now).map(\.name))
      names = now.filter(existing.contains)
      guard names.count < now.count else { throw error(errors[0]) }
    }
    sizes[name] = nil
  }

  private func removal(of names: [String]) async throws(EventLogError) -> [CloudKitError] {
    try await mappingErrors(isReading: false) { () throws(CloudKitError) in
      do throws(CloudKitError) {
        return try await modify(deleting: names).filter { $0.reason != .zoneMissing }
      } catch {
        guard error.reason == .zoneMissing else { throw error }
        return []
      }
    }
  }

  /// Returns the errors in the order of the records, including one for each record without an
  /// outcome.
  private func modify(
    creating records: [CloudKitRecord] = [], deleting names: [String] = []
  ) async throws(CloudKitError) -> [CloudKitError] {
    let outcomes = try await calls.modify(creating: records, deleting: names)
    return (records.map(\.name) + names).compactMap { name in
      switch outcomes[name] {
      case .success?: nil
      case .failure(let error)?: error
      case nil: CloudKitError(.other, "its answer leaves out what became of a record")
      }
    }
  }

  // MARK: - Reading

  /// Returns the contents of an object, or `nil` if it doesn't exist.
  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let head = parts.head(of: name)
    let expected = sizes[name].flatMap { size in
      parts.names(of: name, size: size)
    }
    var found: [String: [UInt8]] = [:]
    var size: Int64?
    for record in try await lookup(expected ?? [head]) {
      found[record.name] = record.bytes
      if record.name == head { size = record.size }
    }
    guard let size else { return nil }
    guard let names = parts.names(of: name, size: size) else { throw malformed }
    let missing = names.filter { found[$0] == nil }
    if !missing.isEmpty {
      for record in try await lookup(missing) { found[record.name] = record.bytes }
    }
    var bytes: [UInt8] = []
    for name in names {
      // A missing part means that the object was removed in the meantime.
      guard let part = found[name] else { return nil }
      bytes += part
    }
    guard bytes.count == size else { throw malformed }
    return bytes
  }

  /// Returns those records that exist.
  private func lookup(_ names: [String]) async throws(EventLogError) -> [CloudKitRecord] {
    let wanted = Set(names)
    return try await mappingErrors(isReading: true) { () throws(CloudKitError) in
      do throws(CloudKitError) {
        return try await calls.lookup(names).filter { wanted.contains($0.name) }
      } catch {
        guard error.reason == .zoneMissing else { throw error }
        return []
      }
    }
  }

  // MARK: - Listing

  /// Returns the objects after a name.
  ///
  /// CloudKit lists all objects each time.
  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    let all = try await mappingErrors(isReading: true) { () throws(CloudKitError) in
      try await zoneChanges(after: nil)
    }
    let objects = all?.objects ?? []
    guard let name else { return objects }
    return objects.filter { name.precedes($0.name) }
  }

  /// Returns all objects after a name, because there is only one page.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    (try await list(after: name), true)
  }

  /// Returns the objects that were put since a mark, or `nil` if objects were removed meanwhile, or
  /// CloudKit no longer knows the mark: then all of them are listed.
  public func changes(
    since mark: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? {
    let changes = try await mappingErrors(isReading: true) { () throws(CloudKitError) in
      try await zoneChanges(after: mark)
    }
    guard let changes, mark == nil || !changes.hasRemovals else { return nil }
    return (changes.objects, changes.token)
  }

  /// Returns all changes since a token, or nil if it has expired or the zone doesn't exist.
  private func zoneChanges(after start: String?) async throws(CloudKitError) -> ZoneChanges? {
    var changes = ZoneChanges(parts: parts)
    var (token, seen) = (start, Set<String>())
    while true {
      let page: CloudKitRecord.Changes
      do throws(CloudKitError) { page = try await calls.changes(since: token) } catch {
        let isExpired = error.reason == .tokenExpired && start != nil
        guard isExpired || error.reason == .zoneMissing else { throw error }
        return nil
      }
      changes.add(page)
      guard page.isMoreComing else { break }
      // Fail on an endless listing: one with repeated tokens, or with more pages or objects than a
      // zone can have.
      guard seen.insert(page.token).inserted, seen.count <= CloudLimits.listedPagesMax,
        changes.sizes.count <= CloudLimits.listedCountMax
      else { throw CloudKitError(.other, "its list of changes has no end") }
      token = page.token
    }
    sizes.add(changes.sizes)
    return changes
  }

  // MARK: - Failures

  private func mappingErrors<Value: Sendable>(
    isReading: Bool, _ call: () async throws(CloudKitError) -> Value
  ) async throws(EventLogError) -> Value {
    do throws(CloudKitError) { return try await call() } catch {
      if Task.isCancelled { try EventLogError.checkCancellation() }
      throw self.error(error, isReading: isReading)
    }
  }

  private func error(_ error: CloudKitError, isReading: Bool = false) -> EventLogError {
    error.failure.error(at: address, isReading: isReading)
  }

  private var malformed: EventLogError {
    error(CloudKitError(.other, "an object there is not as long as it says"), isReading: true)
  }
}

extension CloudKitStorage: RetryingStorage {
  package func forOneRun() -> any ObjectStorage {
    guard let services = calls as? CloudKitWebServices else { return self }
    var storage = self
    storage.calls = services.forOneRun()
    return storage
  }
}

/// The objects that changed in a zone.
private struct ZoneChanges: Sendable {
  let parts: CloudKitParts
  private(set) var sizes: [String: Int64] = [:]
  private(set) var hasRemovals = false
  private(set) var token = ""

  init(parts: CloudKitParts) { self.parts = parts }

  var objects: [StoredObject] {
    sizes.map { StoredObject(name: $0.key, byteCount: $0.value) }
      .sorted { $0.name.precedes($1.name) }
  }

  mutating func add(_ page: CloudKitRecord.Changes) {
    for name in page.deleted {
      guard let object = parts.object(ofHead: name) else { continue }
      sizes[object] = nil
      hasRemovals = true
    }
    for record in page.records {
      guard let object = parts.object(ofHead: record.name) else { continue }
      sizes[object] = record.size
    }
    token = page.token
  }
}
