/// What a run remembers of a place that checks itself, so that the next one asks for less.
///
/// A frontier's name holds its checksum, so what it said once it says for ever. A listing goes on
/// from where the last one ended, if the place can tell what was put since; what was removed
/// meanwhile comes to light where somebody reads it, or when all is listed again.
///
/// It is kept among what an initiator knows of a remote (``RemoteVisit/known``), in words that are
/// no object's key.
struct PlaceMemory: Sendable {
  /// Every so many runs list all objects: about a week of six a day.
  static let listingRuns: Int64 = 40

  private static let frontierMark = "said "
  private static let objectMark = "there "
  private static let listedMark = "listed "

  private let isBelieved: Bool
  /// What frontiers say, by their names.
  private var frontiers: [String: String] = [:]
  /// The objects that were there; nil where all are to be listed.
  private var listing: Listing?

  private struct Listing {
    var mark: String
    var sizes: [String: Int64] = [:]
    /// How many runs have gone on from it.
    var runCount: Int64
  }

  /// Nothing is remembered.
  init() { isBelieved = false }

  /// Takes it out of what is known.
  ///
  /// - Parameter isBelieved: whether the place checks itself.
  init(from known: inout Set<String>, isBelieved: Bool) {
    self.isBelieved = isBelieved
    var sizes: [String: Int64] = [:]
    for word in known {
      // The name, or number, and what is said of it.
      let parts = word.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { continue }
      switch parts[0] + " " {
      case Self.frontierMark: frontiers[parts[1]] = parts[2]
      case Self.objectMark: sizes[parts[2]] = Int64(parts[1])
      case Self.listedMark:
        listing = Int64(parts[1]).map { Listing(mark: parts[2], runCount: max(0, $0)) }
      default: continue
      }
      known.remove(word)
    }
    listing?.sizes = sizes
    if !isBelieved { (frontiers, listing) = ([:], nil) }
  }

  /// The memory for the next run.
  var words: Set<String> {
    var words = Set(frontiers.map { "\(Self.frontierMark)\($0.key) \($0.value)" })
    guard let listing else { return words }
    words.insert("\(Self.listedMark)\(listing.runCount) \(listing.mark)")
    return words.union(listing.sizes.map { "\(Self.objectMark)\($0.value) \($0.key)" })
  }

  /// The same, with all objects to be listed.
  var withoutListing: PlaceMemory {
    var memory = self
    memory.listing = nil
    return memory
  }

  /// An object was removed.
  mutating func forget(_ name: String) { listing?.sizes[name] = nil }

  // MARK: - Asking

  /// The objects of the place, in the order of their names.
  mutating func objects(
    of storage: any ObjectStorage
  ) async throws(EventLogError) -> [StoredObject] {
    var objects: [StoredObject]
    if isBelieved, let new = try await changes(of: storage) {
      objects = new
    } else {
      objects = try await Self.all(of: storage)
    }
    objects.sort { $0.name.precedes($1.name) }
    let names = Set(objects.map(\.name))
    frontiers = frontiers.filter { names.contains($0.key) }
    return objects
  }

  /// The objects by what was put since; nil where the place cannot tell.
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
      throw ObjectCatalog.endless("contains more objects", storage)
    }
    return listing.sizes.map { StoredObject(name: $0.key, byteCount: $0.value) }
  }

  private static func all(of storage: any ObjectStorage) async throws(EventLogError)
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
      else { throw ObjectCatalog.endless("contains more objects", storage) }
      if isLast { return all }
    }
  }

  /// What a frontier says; nil where it is not there any more.
  mutating func frontier(
    _ name: String, of storage: any ObjectStorage
  ) async throws(EventLogError) -> [UInt8]? {
    if isBelieved, let text = frontiers[name] { return Array(text.utf8) }
    let bytes = try await storage.read(name)
    // An answer that was cut off is read again by the next run.
    if isBelieved, let bytes, FrontierName(name)?.checksum == CRC32C.checksum(bytes),
      let text = String(validating: bytes, as: UTF8.self)
    {
      frontiers[name] = text
    }
    return bytes
  }
}
