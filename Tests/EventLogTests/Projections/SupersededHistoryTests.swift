import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Registers with earlier names, compared with their rule on random histories of several versions.
///
/// A write replaces another one iff it has seen it, and the lowest name of the other one is at most
/// the highest of its own.
@Suite(.tags(.random)) struct SupersededHistoryTests {
  /// The names of a field, the oldest first, and the factors between them.
  private static let names = ["light", "lux", "klx"]

  /// The declaration of each version: the first knows one name, the next two, the last three.
  private static func catalog(version: Int, isDated: Bool) throws -> SchemaCatalog {
    let earlier = [
      SupersededField("lux", .times(2)), SupersededField("light", .times(10)),
    ].suffix(version)
    return try SchemaCatalog([
      CollectionSchema(
        kind: "plant",
        fields: [
          FieldSchema(
            names[version], .register(.number), isDated: isDated, supersedes: Array(earlier))
        ])
    ])
  }

  /// A write of the field, as a version reads it.
  private struct Write {
    var index: Int
    var low: Int
    var high: Int
    var value: Int64
    var seen: NumberSet
  }

  private static func history(seed: UInt64, isDated: Bool) -> History {
    var generator = SplitMix64(seed: seed)
    var history = History(user: "ada")
    let devices = ["phone", "tablet", "watch"].map { history.device($0) }
    history.append(devices[0], "plant.created", "plant/fern")
    for device in devices.dropFirst() { history.sync(from: devices[0], to: device) }
    for _ in 0..<Int.random(in: 2...14, using: &generator) {
      let (one, other) = (
        devices.randomElement(using: &generator)!, devices.randomElement(using: &generator)!
      )
      if Bool.random(using: &generator), one != other { history.sync(from: one, to: other) }
      // One name, or several of neighboring versions.
      let high = Int.random(in: 0...2, using: &generator)
      let low = Bool.random(using: &generator) ? high : Int.random(in: 0...high, using: &generator)
      let value = Int64.random(in: 1...3, using: &generator) * 40
      var data = JSONObject(
        (low...high).map { rank in
          let factor: Int64 = [20, 2, 1][rank]
          return .init(name: names[rank], value: .number(JSONNumber(value / factor)))
        })
      if isDated, Bool.random(using: &generator) {
        data["from"] = .string("2026-01-0\(Int.random(in: 1...3, using: &generator))")
      }
      history.append(
        one, EventDraft(type: "plant.edited", entity: EntityID("plant/fern"), data: data))
    }
    return history
  }

  /// The writes that a version reads, in its own values.
  private static func writes(_ history: History, version: Int) -> [Write] {
    history.entries.enumerated().compactMap { index, entry in
      let ranks = (0...version).filter { entry.data[names[$0]] != nil }
      guard let low = ranks.first, let high = ranks.last,
        case .number(let number)? = entry.data[names[high]]
      else { return nil }
      let factors: [[Int64]] = [[1], [10, 1], [20, 2, 1]]
      return Write(
        index: index, low: low, high: high, value: number.integer! * factors[version][high],
        seen: entry.truth)
    }
  }

  private static func live(_ writes: [Write]) -> [Write] {
    writes.filter { write in
      !writes.contains {
        $0.index != write.index && $0.seen.contains(write.index) && write.low <= $0.high
      }
    }
  }

  @Test(arguments: [false, true])
  func `the live values of every version are those of the rule, in any order`(
    isDated: Bool
  ) throws {
    let catalogs = try (0...2).map { try Self.catalog(version: $0, isDated: isDated) }
    let journals = try catalogs.map { try HistoryJournal($0) }
    var (contested, kept) = (0, 0)
    for seed in RandomRounds(300) {
      let history = Self.history(seed: seed, isDated: isDated)
      for (version, journal) in journals.enumerated() {
        let writes = Self.writes(history, version: version)
        let expected = Self.live(writes)
        let snapshot = try journal.snapshot(history)
        try check(snapshot, expected, history, "EVENTLOG_SEED=\(seed) version \(version)")
        let shuffled = history.lines(order: seed)
        try #require(
          try journal.snapshot(history, lines: shuffled).json() == snapshot.json(),
          "EVENTLOG_SEED=\(seed) version \(version), shuffled")
        if !isDated, seed % 4 == 0 { try checkHistory(journal.journal, writes, history, seed) }
        if Set(expected.map(\.value)).count > 1 { contested += 1 }
        kept += expected.count { write in
          expected.contains { $0.index != write.index && $0.seen.contains(write.index) }
        }
        let stored = try StoredReading(catalogs[version])
        try stored.put(history.lines.prefix(history.lines.count / 2))
        let half = try stored.restored(StoredReading.checkpoint(of: try stored.read()))
        try stored.put(history.lines)
        let resumed = StoredReading.snapshot(try stored.read(resuming: half))
        try #require(resumed.json() == snapshot.json(), "EVENTLOG_SEED=\(seed) resumed")
      }
    }
    #expect(contested > 0 && kept > 0, "No history of this run has such a conflict.")
  }

  private func check(
    _ snapshot: Snapshot, _ expected: [Write], _ history: History, _ comment: Comment
  ) throws {
    let row = try #require(snapshot.row(at: "plant/fern"))
    let cells = snapshot.fold.cells(of: row).registers
    let live = cells.flatMap { snapshot.fold.registers.liveValues($0.index) }
    let found = live.map { live in
      let value = JSONValue(canonical: snapshot.fold.registers.bytes(live))
      return "\(live.dot.id(snapshot.ledger)) \(value.text)"
    }
    let wanted = expected.map { "\(history.entries[$0.index].id) \($0.value)" }
    try #require(found.sorted() == wanted.sorted(), comment)
    try #require(snapshot.fold.broken(snapshot.ledger) == [], comment)
  }

  /// Checks the states that `why` prints, and that it names only writes that were replaced.
  private func checkHistory(
    _ journal: Journal, _ writes: [Write], _ history: History, _ seed: UInt64
  ) throws {
    guard
      let version = Self.names.firstIndex(where: { name in
        journal.catalog.collections.last?.field(name) != nil
      }), !writes.isEmpty
    else { return }
    let found = try journal.why("plant/fern", Self.names[version]).history
    let live = Set(Self.live(writes).map { history.entries[$0.index].id })
    let byID = Dictionary(uniqueKeysWithValues: writes.map { (history.entries[$0.index].id, $0) })
    try #require(found.writes.count == writes.count, "EVENTLOG_SEED=\(seed)")
    for write in found.writes {
      try #require(
        (write.state != .replaced) == live.contains(write.event), "EVENTLOG_SEED=\(seed)")
      let one = try #require(byID[write.event])
      func replaces(_ later: Write, _ other: Write) -> Bool {
        later.index != other.index && later.seen.contains(other.index) && other.low <= later.high
      }
      let replaced = writes.filter { other in
        replaces(one, other)
          && !writes.contains {
            $0.index != one.index && one.seen.contains($0.index) && replaces($0, other)
          }
      }
      let names = replaced.map { history.entries[$0.index].id }
      try #require(Set(names) == Set(write.replaced), "EVENTLOG_SEED=\(seed) \(write.event)")
    }
  }
}
