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

  @Test func `a revision outside its limits, or too large declarations, don't open a store`()
    async throws
  {
    for revision in [0, -1, 1_000_000_000] {
      await expectError(.invalidSchema) {
        _ = try await TemporaryStore(catalog: catalog(revision: revision))
      }
    }
    let note = String(repeating: "x", count: SchemaFile.bytesMax)
    var large = try SchemaCatalog([
      CollectionSchema(kind: "plant", fields: [FieldSchema("name", .register(.text), note: note)])
    ])
    large.revision = 1
    await expectError(.invalidSchema) { _ = try await TemporaryStore(catalog: large) }
  }

  private func expectError(
    _ code: EventLogError.Code, _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: EventLogError.self) { try await body() }
    #expect(error?.code == code && error?.hint != nil)
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

  @Test func `a damaged file at a place is ignored, and so are other names`() async throws {
    let storage = MemoryStorage()
    let phone = try await device("phone", revision: 1)
    _ = try await phone.sync(with: ObjectRemote(storage))
    storage.objects["schema-2-0123abcd.json"] = Array("{}".utf8)
    storage.objects["schema-9-0123abc.json"] = []
    storage.objects["schema-09-0123abcd.json"] = []
    storage.objects["schema-x-0123abcd.json"] = []
    let tool = try await device("tool")
    let report = try await tool.sync(with: ObjectRemote(storage))
    #expect(report.pulledCount == 2 && schema(of: tool) == nil)
  }

  @Test func `a place that refuses the file still gets the events`() async throws {
    let storage = SchemalessStorage()
    let phone = try await device("phone", revision: 1)
    let report = try await phone.sync(with: ObjectRemote(storage))
    #expect(report.pushedCount == 2)
    #expect(report.notices.contains { $0.contains("declarations were not exchanged") })
  }
}

/// A place whose rules allow only the objects of events.
private struct SchemalessStorage: ObjectStorage {
  private let base = MemoryStorage()

  var address: String { base.address }

  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    if name.hasPrefix("schema-") { throw EventLogError(remoteFailed: "Only events are allowed.") }
    return try await base.put(name, bytes)
  }

  func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await base.list(after: name)
  }

  func read(_ name: String) async throws(EventLogError) -> [UInt8]? { try await base.read(name) }
  func remove(_ name: String) async throws(EventLogError) { try await base.remove(name) }
}
