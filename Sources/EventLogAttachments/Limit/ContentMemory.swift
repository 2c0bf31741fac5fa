import EventLog

/// The facts about contents that their files don't show: when they were opened, and which ones the
/// limit has removed.
///
/// They are in the cache of the side folder. If they are lost, contents are removed in another
/// order.
struct ContentMemory: Sendable, Equatable {
  /// The times of the last openings in milliseconds since 1970, by hash.
  private(set) var openings: [String: Int64] = [:]
  /// The hashes of the contents that the limit has removed here.
  private(set) var removals: Set<String> = []

  var isEmpty: Bool { openings.isEmpty && removals.isEmpty }

  mutating func noteOpening(of sha256: String, at time: Int64) {
    openings[sha256] = max(openings[sha256] ?? 0, time)
  }

  mutating func noteRemoval(of sha256: String) {
    removals.insert(sha256)
    openings[sha256] = nil
  }

  /// Returns and forgets everything.
  mutating func take() -> ContentMemory {
    defer { self = ContentMemory() }
    return self
  }

  mutating func add(_ other: ContentMemory) {
    openings.merge(other.openings, uniquingKeysWith: max)
    removals.formUnion(other.removals)
  }

  /// Forgets contents that are no longer here, and removals of contents that are here again or that
  /// nothing names.
  mutating func prune(here: Set<String>, named: Set<String>) {
    openings = openings.filter { here.contains($0.key) }
    removals = removals.subtracting(here).intersection(named)
  }
}

extension ContentMemory {
  /// Reads the memory beside a journal; empty if there is none.
  init(in side: SideFolder) {
    guard case .object(let object)? = side.kept(Self.name, in: Self.name, of: "") else { return }
    if case .array(let pairs)? = object["openings"] {
      for case .array(let pair) in pairs where pair.count == 2 {
        // Larger numbers would overflow as nanoseconds.
        if let hash = pair[0].plainText, let time = pair[1].integer,
          ContentHashes.isHash(hash), (0...Self.timeMax).contains(time)
        {
          openings[hash] = time
        }
      }
    }
    removals = Self.hashes(object["removals"])
  }

  private static func hashes(_ value: JSONValue?) -> Set<String> {
    guard case .array(let values)? = value else { return [] }
    return Set(values.compactMap(\.plainText).filter(ContentHashes.isHash))
  }

  /// Saves the memory. On failure, the earlier one remains.
  func keep(in side: SideFolder) {
    func array(_ hashes: Set<String>) -> JSONValue { .array(hashes.sorted().map { .string($0) }) }
    let times = openings.sorted { $0.key < $1.key }.map { hash, time -> JSONValue in
      .array([.string(hash), .number(JSONNumber(time))])
    }
    let object: JSONObject = ["openings": .array(times), "removals": array(removals)]
    side.keep(.object(object), as: Self.name, in: Self.name, of: "")
  }

  private static let name = "attachments"
  /// The year 2200.
  private static let timeMax: Int64 = 7_258_118_400_000
}
