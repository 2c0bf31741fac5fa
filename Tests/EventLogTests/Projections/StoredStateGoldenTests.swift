import EventLogTesting
import Testing

@testable import EventLog

/// Detects a change to the rules or to the stored form, which must not accept earlier checkpoints.
@Suite struct StoredStateGoldenTests {
  /// The digest of the state below, under `Fold.rulesVersion` 19.
  private static let digest: UInt32 = 0xd560_0fc6

  private static let catalog = SchemaCatalog(
    trusted: [
      CollectionSchema(
        kind: "thing",
        fields: [
          FieldSchema("name", .register(.text)), FieldSchema("count", .counter),
          FieldSchema("tags", .members), FieldSchema("aim", .register(.any), isDated: true),
        ], takesFurtherFields: true,
        dayFields: [FieldSchema("mood", .register(.any)), FieldSchema("ml", .counter)]),
      CollectionSchema(kind: "plan", isSingleton: true, fields: [], takesFurtherFields: true),
    ])

  /// One of everything: conflicts of each kind, sets, days, a deleted entity, a fork, damage, a
  /// gap, an acknowledged loss, an adopted guest, two imports, a batch, and lines out of order.
  private static let lines: [[UInt8]] = {
    var history = History(user: "ada")
    let phone = history.device("phone")
    let tablet = history.device("tablet")
    history.append(phone, "thing.created", "thing/a", ["name": "A", "size": 1])
    history.append(phone, "thing.created", "thing/b", ["name": "B"])
    history.append(phone, "thing.created", "thing/c", ["name": "C"])
    history.syncAll()
    for (device, text) in [(phone, "one"), (tablet, "two")] {
      let amount: JSONValue = device == phone ? 3 : 4
      history.append(device, "thing.edited", "thing/a", ["name": .string(text), "further": .null])
      history.append(device, "thing.edited", "thing/a", ["aim": amount, "from": "2026-01-28"])
      history.append(device, "thing.recorded", "thing/a", ["date": "2026-01-28", "ml": amount])
      history.append(device, "thing.advanced", "thing/a", ["count": amount])
      history.append(device, "thing.advanced", "thing/a", ["date": "2026-01-28", "ml": amount])
      history.append(
        device, "thing.included", "thing/a", ["key": "tags", "members": [.string(text)]])
      history.append(device, "plan.changed", ["goal": .string(text), "é": [1, ["k": "v"]]])
      history.append(device, "other.noted", "other/x", [:])
    }
    history.append(tablet, "thing.deleted", "thing/b", [:])
    history.append(phone, "thing.edited", "thing/b", ["name": "still here"])
    history.append(tablet, "thing.deleted", "thing/a", [:])
    history.syncAll()
    history.append(phone, "thing.deleted", "thing/c", [:])
    history.append(phone, "thing.excluded", "thing/a", ["key": "tags", "members": ["one"]])
    history.appendLaterVersion(phone, EntityID("thing/a")!)
    let (copied, own) = (history.copy("copied"), history.copy(of: phone))
    let clone = history.clone(copied)
    for (copy, goal) in [(copied, "third"), (clone, "fourth")] as [(History.Copy, JSONValue)] {
      history.write(.of("plan.changed", nil, ["goal": goal]), on: copy)
      history.unite(from: copy, to: own)
    }
    let guest = history.copy("guest", user: "guest")
    history.write(.of("plan.changed", nil, ["goal": "fifth"]), on: guest)
    history.adopt("guest", on: own)
    history.unite(from: guest, to: own)
    let place = ImportSource(name: "app", place: "device")
    let imports = [history.copy("app", source: place), history.copy("new", source: place)]
    for (amount, copy) in zip([7, 8] as [JSONValue], imports) {
      history.write(.of("thing.recorded", "thing/d", ["count": amount]), on: copy)
    }
    history.write(.of("thing.advanced", "thing/d", ["count": 2]), on: own)
    history.unite(from: imports[0], to: own)
    history.write(.of("thing.advanced", "thing/d", ["count": 1]), on: own)
    history.unite(from: imports[1], to: own)
    let lost = history.write(.of("plan.changed", nil, ["goal": "sixth"]), on: copied)
    let missing = history.write(.of("plan.changed", nil, ["goal": "seventh"]), on: clone)
    for copy in [copied, clone] {
      history.write(
        batch: [.of("plan.changed", nil, ["size": 1]), .of("plan.changed", nil, ["size": 2])],
        on: copy)
      history.unite(from: copy, to: own)
    }
    history.acknowledgeLoss(from: lost.sequence, to: lost, on: own)
    var lines = history.entries.filter { ![lost, missing].contains($0.fullID) }.map(\.line)
    lines.append(lines[4])
    lines.swapAt(5, 30)
    lines.insert(Array("not a line\n".utf8), at: 9)
    return lines
  }()

  @Test func `the fold's rules and the stored form match this version's digest`() throws {
    let files = try StoredReading(Self.catalog)
    try files.put(Self.lines)
    let stopped = try files.read()
    let report = stopped.pass.report
    #expect(report.problems.map(\.code.text).sorted() == ["gap", "malformed"])
    #expect(
      Set(report.notes.map(\.code.text)) == ["acknowledgedLoss", "fork", "repeatedLine"])
    #expect(stopped.pass.ledger.users.adoptedUsers == ["guest"])
    #expect(!stopped.pass.ledger.index.strays.isEmpty)
    #expect(stopped.pass.sink.openConflicts(stopped.pass.ledger).count >= 4)
    let digest = CRC32C.checksum(StoredReading.bytes(stopped))
    #expect(
      digest == Self.digest,
      """
      What events do to the state, or how it is stored, has changed. Raise Fold.rulesVersion, so \
      that checkpoints of before are passed over, and put 0x\(String(digest, radix: 16)) here.
      """)
    #expect(Fold.rulesVersion == 19, "The digest above is of another version.")
  }
}
