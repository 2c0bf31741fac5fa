import EventLog

/// Caches the frontiers and the listing of a remote that verifies itself, to save requests.
///
/// The name of a frontier contains its checksum, so its content never changes. If the remote tracks
/// the objects put since the last listing, the next one starts there. Removed objects are noticed
/// when they are read, or in the next full listing.
///
/// The cache is stored in `SyncRequest.known`, as entries that can't be keys of objects.
struct ListingCache: Sendable {
  /// The number of runs after which all objects are listed: about a week at six runs a day.
  static let listingRuns: Int64 = 40

  /// The number of runs that skip a due compaction after the remote refused one.
  static let compactionPauseMax: Int64 = 40

  private static let compactionMark = "upkeep "
  private static let frontierMark = "said "
  private static let objectMark = "there "
  private static let listedMark = "listed "

  private let isTrusted: Bool
  /// The contents of frontiers, by their names.
  private var frontiers: [String: String] = [:]
  /// The last listing, or nil if all objects have to be listed.
  private var listing: Listing?
  /// The number of later runs that skip a due compaction.
  var compactionPause: Int64 = 0

  private struct Listing {
    var mark: String
    var sizes: [String: Int64] = [:]
    /// The number of runs since all objects were listed.
    var runCount: Int64
  }

  /// Creates a cache that stays empty.
  init() { isTrusted = false }

  /// Removes the cache's entries from `known`, and parses them.
  ///
  /// - Parameter isBelieved: Whether the remote verifies itself. If not, frontiers and listings
  ///   aren't cached.
  init(from known: inout Set<String>, isTrusted: Bool) {
    self.isTrusted = isTrusted
    var sizes: [String: Int64] = [:]
    for entry in known {
      // An entry has a kind and two fields.
      let parts = entry.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { continue }
      switch parts[0] + " " {
      case Self.frontierMark: frontiers[parts[1]] = parts[2]
      case Self.objectMark: sizes[parts[2]] = Int64(parts[1])
      case Self.listedMark:
        listing = Int64(parts[1]).map { Listing(mark: parts[2], runCount: max(0, $0)) }
      case Self.compactionMark:
        compactionPause = min(max(0, Int64(parts[1]) ?? 0), Self.compactionPauseMax)
      default: continue
      }
      known.remove(entry)
    }
    listing?.sizes = sizes
    if !isTrusted { (frontiers, listing) = ([:], nil) }
  }

  /// The entries to store for the next run.
  var entries: Set<String> {
    var entries = Set(frontiers.map { "\(Self.frontierMark)\($0.key) \($0.value)" })
    if compactionPause > 0 { entries.insert("\(Self.compactionMark)\(compactionPause) refused") }
    guard let listing else { return entries }
    entries.insert("\(Self.listedMark)\(listing.runCount) \(listing.mark)")
    return entries.union(listing.sizes.map { "\(Self.objectMark)\($0.value) \($0.key)" })
  }

  /// A copy without the listing, so that all objects are listed again.
  var withoutListing: ListingCache {
    var cache = self
    cache.listing = nil
    return cache
  }

  /// Removes an object from the listing.
  mutating func forget(_ name: String) { listing?.sizes[name] = nil }

  // MARK: - Requests

  /// Returns the objects of the remote, sorted by name.
  mutating func objects(
    of storage: any ObjectStorage
  ) async throws(EventLogError) -> [StoredObject] {
    var objects: [StoredObject]
    if isTrusted, let new = try await changes(of: storage) {
      objects = new
    } else {
      objects = try await Self.all(of: storage)
    }
    objects.sort { $0.name.precedes($1.name) }
    let names = Set(objects.map(\.name))
    frontiers = frontiers.filter { names.contains($0.key) }
    return objects
  }

  /// Updates and returns the listing, or returns nil if the remote doesn't track changes.
  private mutating func changes(
    of storage: any ObjectStorage
  ) async throws(EventLogError) -> [StoredObject]? {
    if let old = listing, old.runCount + 1 < Self.listingRuns,
      let (new, mark) = try await storage.changes(since: old.mark)
    {
      listing = Listing(
        mark: mark,
        sizes: old.sizes.merging(new.map { ($0.name, $0.byteCount) }) { $1 },
        runCount: old.runCount + 1)
    } else if let (all, mark) = try await storage.changes(since: nil) {
      listing = Listing(
        mark: mark,
        sizes: Dictionary(all.map { ($0.name, $0.byteCount) }, uniquingKeysWith: { $1 }),
        runCount: 0)
    } else {
      listing = nil
    }
    guard let listing else { return nil }
    guard listing.sizes.count <= ObjectLimits.listedCountMax else {
      throw ObjectCatalog.limitExceeded("contains more objects", storage)
    }
    return listing.sizes.map { StoredObject(name: $0.key, byteCount: $0.value) }
  }

  static func all(of storage: any ObjectStorage) async throws(EventLogError)
    -> [StoredObject]
  {
    var (all, pageCount, byteCount) = ([StoredObject](), 0, 0)
    while true {
      let last = all.last?.name
      let (objects, isLast) = try await storage.page(after: last)
      guard let end = objects.last else { return all }
      all += objects
      pageCount += 1
      byteCount += objects.reduce(0) { $0 + $1.name.utf8.count }
      guard last.map({ $0.precedes(end.name) }) ?? true,
        all.count <= ObjectLimits.listedCountMax, pageCount <= ObjectLimits.listedPagesMax,
        byteCount <= ObjectLimits.listedBytesMax
      else { throw ObjectCatalog.limitExceeded("contains more objects", storage) }
      if isLast { return all }
    }
  }

  /// Returns the content of a frontier, or nil if it no longer exists.
  mutating func frontier(
    _ name: String, byteCount: Int64, of storage: any ObjectStorage
  ) async throws(EventLogError) -> [UInt8]? {
    if isTrusted, let text = frontiers[name], text.utf8.count == byteCount {
      return Array(text.utf8)
    }
    let bytes = try await storage.read(name)
    // Cache only complete contents. The next run reads others again.
    if isTrusted, let bytes, FrontierName(name)?.checksum == CRC32C.checksum(bytes),
      let text = String(validating: bytes, as: UTF8.self)
    {
      frontiers[name] = text
    }
    return bytes
  }
}
