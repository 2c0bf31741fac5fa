import EventLogTesting
import Testing

@testable import EventLog

/// A reminder: a checkpoint of other rules, or written in another way, must not be taken for one of
/// this build.
@Suite struct StoredStateGoldenTests {
  /// Of the state below, under `Fold.rulesVersion` 1.
  private static let digest: UInt32 = 0xbfce_56f2

  private static let catalog = SchemaCatalog(
    trusted: [
      CollectionSchema(
        kind: "thing",
        fields: [
          FieldSchema("name", .register(.text)), FieldSchema("count", .counter),
          FieldSchema("tags", .members),
        ], takesFurtherFields: true,
        dayFields: [FieldSchema("mood", .register(.any)), FieldSchema("ml", .counter)]),
      CollectionSchema(kind: "plan", isSingleton: true, fields: [], takesFurtherFields: true),
    ], reservedFieldNames: ["id"])

  /// Something of everything: conflicts of each sort, sets, days, a hidden entity, forks, damage.
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
    for name in ["again", "anew"] {
      let device = history.device(name)
      history.append(
        device,
        EventDraft(at: .minute(0), type: "plan.changed", data: ["goal": "third"]),
        was: "old-aaaaaaaa:2/0123456789abcdef")
      history.sync(from: device, to: phone)
    }
    history.append(phone, "plan.changed", ["goal": "fourth"])
    var lines = history.lines
    lines.append(lines[4])
    lines.insert(Array("not a line\n".utf8), at: 9)
    return lines
  }()

  @Test func `the stored form and the rules are those of this version`() throws {
    let files = try StoredReading(Self.catalog)
    try files.put(Self.lines)
    let place = try files.read()
    #expect(place.pass.problems.count == 2)
    #expect(place.pass.ledger.hasAliases)
    #expect(place.pass.sink.openConflicts(place.pass.ledger).count >= 4)
    let digest = CRC32C.checksum(StoredReading.bytes(place))
    #expect(
      digest == Self.digest,
      """
      What events do to the state, or how it is stored, has changed. Raise Fold.rulesVersion, so \
      that checkpoints of before are passed over, and put 0x\(String(digest, radix: 16)) here.
      """)
    #expect(Fold.rulesVersion == 3, "The digest above is of another version.")
  }
}
