import EventLogTesting
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The schema files that an app leaves beside its journal and at its remotes.
@Suite struct SelfDescriptionTests {
  private struct Plant: Record {
    var name = ""
    static let schema = Schema<Plant>("plant", [.register("name", \.name)])
  }

  /// The same collection with another declaration.
  private struct TallPlant: Record {
    var name = ""
    var height: Int?
    static let schema = Schema<TallPlant>(
      "plant", [.register("name", \.name), .register("height", \.height)])
  }

  private func catalog(
    _ record: any Record.Type = Plant.self, revision: Int?
  ) throws -> SchemaCatalog {
    var catalog = try SchemaCatalog().adding([record])
    catalog.revision = revision
    return catalog
  }

  private func device(
    _ name: String, _ record: any Record.Type = Plant.self, revision: Int? = nil
  ) async throws -> TemporaryStore {
    let device = try await TemporaryStore(
      device: name, catalog: catalog(record, revision: revision))
    _ = try await device.store.append([
      EventDraft(type: "plant.created", entity: EntityID("plant/fern")!)
    ])
    try await device.store.refresh()
    return device
  }

  /// The names of the files beside the device's journal.
  private func names(_ device: TemporaryStore) throws -> [String] {
    try SystemFileSystem().contents(of: device.store.side.path)
      .filter { $0.hasPrefix("schema-") }.sorted()
  }

  private func schema(of device: TemporaryStore) -> SchemaFile? { device.store.side.schema }

  // MARK: - Beside the journal

  @Test func `the first append saves the declarations, in the form of a schema file`() async throws
  {
    let phone = try await TemporaryStore(catalog: catalog(revision: 3))
    #expect(schema(of: phone) == nil)
    _ = try await phone.store.append([
      EventDraft(type: "plant.created", entity: EntityID("plant/fern")!)
    ])
    try await phone.store.refresh()
    let file = try #require(schema(of: phone))
    #expect(file.name.revision == 3)
    #expect(
      String(decoding: file.content, as: UTF8.self) == CollectionSchema.file(
        try catalog(revision: 3).collections
      ).text + "\n")
    #expect(try names(phone) == [file.name.text])
  }

  @Test func `a store without a revision, or without collections, saves nothing`() async throws {
    let silent = try await device("phone")
    #expect(try names(silent).isEmpty)
    var empty = SchemaCatalog()
    empty.revision = 1
    #expect(try SchemaFile(of: empty) == nil)
  }

  @Test func `an opening saves the declarations of an updated app, and removes earlier ones`()
    async throws
  {
    let phone = try await device("phone", revision: 1)
    for (record, revision, expected) in [
      (TallPlant.self as any Record.Type, 1, 1), (TallPlant.self, 2, 2), (Plant.self, 1, 2),
      (Plant.self, 2, 2),
    ] {
      let opened = try await EventStore.open(
        path: phone.store.path, options: phone.options, catalog: catalog(record, revision: revision)
      )
      try await opened.close()
      let found = try #require(schema(of: phone))
      #expect(found.name.revision == expected)
      #expect(try names(phone).count == 1)
      if expected == revision {
        #expect(try found == SchemaFile(of: catalog(record, revision: revision)))
      }
    }
  }

  @Test func `a revision outside its limits doesn't open a store`()
    async throws
  {
    for revision in [0, -1, 1_000_000_000] {
      await expectError(.invalidSchema) {
        _ = try await TemporaryStore(catalog: catalog(revision: revision))
      }
    }
  }

  private func expectError(
    _ code: EventLogError.Code, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: EventLogError.self) { try await body() }
    #expect(error?.code == code && error?.hint != nil)
  }

  @Test func `declarations that are too long for a file aren't saved`() async throws {
    let note = String(repeating: "x", count: SchemaFile.bytesMax)
    var catalog = try SchemaCatalog([
      CollectionSchema(kind: "plant", fields: [FieldSchema("name", .register(.text), note: note)])
    ])
    catalog.revision = 1
    #expect(try SchemaFile(of: catalog) == nil)
  }

  @Test func `a file counts only if it is JSON and matches its name`() {
    for (bytes, isValid) in [
      ("{}", true), ("[]", false), ("", false), ("{", false), ("{\"a\":\"\u{1}\"}", false),
    ] {
      let content = Array(bytes.utf8)
      let name = SchemaFile.Name(revision: 1, checksum: CRC32C.checksum(content))
      #expect((SchemaFile(name, content) != nil) == isValid, "\(bytes)")
      #expect(SchemaFile(.init(revision: 1, checksum: name.checksum ^ 1), content) == nil)
    }
    let broken: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
    let name = SchemaFile.Name(revision: 1, checksum: CRC32C.checksum(broken))
    #expect(SchemaFile(name, broken) == nil)
  }

  @Test func `a damaged file of a higher revision hides no other, and is replaced`() async throws {
    let phone = try await device("phone", revision: 1)
    let damaged = phone.store.side.file(of: .init(revision: 2, checksum: 0))
    try SystemFileSystem().replaceFile(at: damaged, with: Array("{}".utf8))
    #expect(schema(of: phone)?.name.revision == 1)
    try await phone.reopen()
    try await phone.store.refresh()
    #expect(try names(phone).count == 1 && schema(of: phone)?.name.revision == 1)
  }

  @Test func `the opening replaces a damaged file`() async throws {
    let phone = try await device("phone", revision: 1)
    let file = try #require(schema(of: phone))
    try SystemFileSystem().replaceFile(at: phone.store.side.file(of: file.name), with: [0x7B])
    #expect(schema(of: phone) == nil)
    try await phone.reopen()
    try await phone.store.refresh()
    #expect(schema(of: phone) == file)
  }

  // MARK: - At remotes

  @Test(arguments: RemoteKind.allCases)
  func `a sync takes the highest revision to every side`(kind: RemoteKind) async throws {
    let fixture = try kind.make()
    let old = try await device("old", revision: 1)
    let new = try await device("new", TallPlant.self, revision: 2)
    let tool = try await device("tool")
    _ = try await old.sync(with: fixture.remote)
    _ = try await tool.sync(with: fixture.remote)
    #expect(schema(of: tool) == schema(of: old) && schema(of: tool)?.name.revision == 1)
    _ = try await new.sync(with: fixture.remote)
    for device in [tool, old] {
      let report = try await device.sync(with: fixture.remote)
      #expect(report.notices.isEmpty)
      #expect(schema(of: device) == schema(of: new) && schema(of: device)?.name.revision == 2)
      #expect(try names(device).count == 1)
    }
  }

  @Test(arguments: RemoteKind.allCases)
  func `a pull sends no declarations, and a push and a dry run take none`(kind: RemoteKind)
    async throws
  {
    let fixture = try kind.make()
    let (phone, tool, other) = (
      try await device("phone", revision: 1), try await device("tool"), try await device("other")
    )
    _ = try await other.sync(with: fixture.remote)
    _ = try await phone.sync(with: fixture.remote, .pull)
    _ = try await other.sync(with: fixture.remote)
    #expect(schema(of: other) == nil)
    _ = try await phone.sync(with: fixture.remote)
    _ = try await tool.sync(with: fixture.remote, .push)
    _ = try await tool.store.dryRunSync(with: fixture.remote)
    #expect(schema(of: tool) == nil)
    _ = try await tool.sync(with: fixture.remote, .pull)
    #expect(schema(of: tool) == schema(of: phone))
  }

  @Test(arguments: RemoteKind.allCases)
  func `two declarations of one revision are reported, and neither device takes the other's`(
    kind: RemoteKind
  ) async throws {
    let fixture = try kind.make()
    let phone = try await device("phone", revision: 1)
    let tablet = try await device("tablet", TallPlant.self, revision: 1)
    let own = (schema(of: phone), schema(of: tablet))
    #expect(try await phone.sync(with: fixture.remote).notices.isEmpty)
    let report = try await tablet.sync(with: fixture.remote)
    #expect(report.notices.contains { $0.contains("other declarations of revision 1") })
    #expect((schema(of: phone), schema(of: tablet)) == own)
  }

  // MARK: - Shared places

  @Test func `a place keeps the files of the highest revision only, at most four`() async throws {
    let storage = MemoryStorage()
    var names: [String] { storage.objects.keys.filter { $0.hasPrefix("schema-") }.sorted() }
    let early = try await device("early", revision: 1)
    _ = try await early.sync(with: ObjectRemote(storage))
    #expect(names == [try #require(schema(of: early)).name.text])
    for number in 0..<6 {
      var catalog = try SchemaCatalog([
        CollectionSchema(kind: "plant", fields: [FieldSchema("name\(number)", .register(.text))])
      ])
      catalog.revision = 2
      let device = try await TemporaryStore(device: "d\(number)", catalog: catalog)
      _ = try await device.store.append([
        EventDraft(type: "plant.created", entity: EntityID("plant/fern")!)
      ])
      try await device.store.refresh()
      _ = try await device.sync(with: ObjectRemote(storage))
      #expect(names.count == min(number + 1, ObjectLimits.namesMax))
      #expect(names.allSatisfy { $0.hasPrefix("schema-2-") })
    }
    _ = try await early.sync(with: ObjectRemote(storage))
    #expect(names.allSatisfy { $0.hasPrefix("schema-2-") })
  }

  @Test func `a damaged file at a place hides no other, and neither do other names`() async throws {
    let storage = MemoryStorage()
    let phone = try await device("phone", revision: 1)
    _ = try await phone.sync(with: ObjectRemote(storage))
    storage.objects["schema-2-0123abcd.json"] = Array("{}".utf8)
    storage.objects["schema-3-0123abcd.json"] = [UInt8](
      repeating: 0x20, count: SchemaFile.bytesMax + 1)
    storage.objects["schema-9-0123abc.json"] = []
    storage.objects["schema-09-0123abcd.json"] = []
    storage.objects["schema-x-0123abcd.json"] = []
    let tool = try await device("tool")
    let report = try await tool.sync(with: ObjectRemote(storage))
    #expect(report.pulledCount == 2 && schema(of: tool) == schema(of: phone))
  }

  @Test func `the owner puts a file again that was cut off`() async throws {
    let storage = MemoryStorage()
    let phone = try await device("phone", revision: 1)
    _ = try await phone.sync(with: ObjectRemote(storage))
    let file = try #require(schema(of: phone))
    storage.objects[file.name.text] = []
    _ = try await phone.sync(with: ObjectRemote(storage))
    #expect(storage.objects[file.name.text] == file.content)
  }

  @Test func `the same declarations in another order are no difference`() async throws {
    struct Pot: Record {
      var size = ""
      static let schema = Schema<Pot>("pot", [.register("size", \.size)])
    }
    let storage = MemoryStorage()
    for (name, records) in [
      ("phone", [Plant.self, Pot.self] as [any Record.Type]), ("tablet", [Pot.self, Plant.self]),
    ] {
      var catalog = try SchemaCatalog().adding(records)
      catalog.revision = 1
      let device = try await TemporaryStore(device: name, catalog: catalog)
      _ = try await device.store.append([
        EventDraft(type: "plant.created", entity: EntityID("plant/fern")!)
      ])
      let report = try await device.sync(with: ObjectRemote(storage))
      #expect(report.notices.isEmpty)
    }
    #expect(storage.objects.keys.count { $0.hasPrefix("schema-") } == 2)
  }

  @Test func `a new device's first sync brings its later declarations`() async throws {
    let storage = MemoryStorage()
    let old = try await device("old", revision: 1)
    _ = try await old.sync(with: ObjectRemote(storage))
    let new = try await TemporaryStore(
      device: "new", catalog: catalog(TallPlant.self, revision: 2))
    _ = try await new.sync(with: ObjectRemote(storage))
    #expect(schema(of: new)?.name.revision == 2)
    #expect(storage.objects.keys.contains { $0.hasPrefix("schema-2-") })
    #expect(!storage.objects.keys.contains { $0.hasPrefix("schema-1-") })
  }

  @Test func `a place that refuses removals is no failure`() async throws {
    let storage = SchemalessStorage(refusesPuts: false)
    for (number, record) in [Plant.self as any Record.Type, TallPlant.self].enumerated() {
      let device = try await device("d\(number)", record, revision: number + 1)
      let report = try await device.sync(with: ObjectRemote(storage))
      #expect(report.notices.isEmpty && schema(of: device)?.name.revision == number + 1)
    }
  }

  @Test func `a place that refuses the file still gets the events`() async throws {
    let storage = SchemalessStorage()
    let phone = try await device("phone", revision: 1)
    let report = try await phone.sync(with: ObjectRemote(storage))
    #expect(report.pushedCount == 2)
    #expect(report.notices.contains { $0.contains("declarations were not exchanged") })
  }
}

/// A place that refuses to store schema files, or to remove them.
private struct SchemalessStorage: ObjectStorage {
  private let base = MemoryStorage()
  private let refusesPuts: Bool

  init(refusesPuts: Bool = true) { self.refusesPuts = refusesPuts }

  var address: String { base.address }

  private func refuse(_ name: String) throws(EventLogError) {
    if name.hasPrefix("schema-") { throw EventLogError(remoteFailed: "Only events are allowed.") }
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    if refusesPuts { try refuse(name) }
    return try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? { try await base.read(name) }

  func remove(_ name: String) async throws(EventLogError) {
    try refuse(name)
    try await base.remove(name)
  }
}
