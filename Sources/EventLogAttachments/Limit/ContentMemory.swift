import EventLog

/// The facts about contents that their files don't show: when they were opened, which places have
/// proved to have them, and which ones the limit has removed.
///
/// They are in the cache of the side folder. If they are lost, contents are removed in another
/// order, and are read back once more.
struct ContentMemory: Sendable, Equatable {
  /// The times of the last openings in milliseconds since 1970, by hash.
  private(set) var openings: [String: Int64] = [:]
  /// For each place, the hashes of the contents that were read there as a whole.
  private(set) var proofs: [String: Set<String>] = [:]
  /// The hashes of the contents that the limit has removed here.
  private(set) var removals: Set<String> = []

  var isEmpty: Bool { openings.isEmpty && proofs.isEmpty && removals.isEmpty }

  mutating func noteOpening(of sha256: String, at time: Int64) {
    openings[sha256] = max(openings[sha256] ?? 0, time)
  }

  mutating func noteProof(of sha256: String, by place: String) {
    proofs[place, default: []].insert(sha256)
  }

  /// Records that a place needs the content again.
  mutating func noteLoss(of sha256: String, at place: String) { proofs[place]?.remove(sha256) }

  mutating func noteRemoval(of sha256: String) {
    removals.insert(sha256)
    openings[sha256] = nil
    for place in proofs.keys { proofs[place]?.remove(sha256) }
  }

  func isProved(_ sha256: String, by place: String) -> Bool {
    proofs[place]?.contains(sha256) ?? false
  }

  mutating func add(_ other: ContentMemory) {
    openings.merge(other.openings, uniquingKeysWith: max)
    proofs.merge(other.proofs) { $0.union($1) }
    removals.formUnion(other.removals)
  }

  /// Forgets contents that are no longer here, and removals of contents that are here again or that
  /// nothing names.
  mutating func prune(here: Set<String>, named: Set<String>) {
    openings = openings.filter { here.contains($0.key) }
    proofs = proofs.mapValues { $0.intersection(here) }.filter { !$0.value.isEmpty }
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
    if case .object(let places)? = object["proofs"] {
      for place in places.members { proofs[place.name] = Self.hashes(place.value) }
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
    let places = proofs.sorted { $0.key.precedes($1.key) }.map {
      JSONObject.Member(name: $0.key, value: array($0.value))
    }
    let object: JSONObject = [
      "openings": .array(times), "proofs": .object(JSONObject(places)),
      "removals": array(removals),
    ]
    side.keep(.object(object), as: Self.name, in: Self.name, of: "")
  }

  private static let name = "attachments"
  /// The year 2200.
  private static let timeMax: Int64 = 7_258_118_400_000
}
