import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// The bases of conflicts are stored with the state, so that none needs a second reading.
@Suite struct StoredConflictTests {
  private let sandbox: Sandbox
  private var history = History(user: "ada")
  private let phone: DeviceID
  private let tablet: DeviceID

  init() throws {
    sandbox = try Sandbox()
    phone = history.device("phone")
    tablet = history.device("tablet")
    for index in 0..<600 {
      history.append(phone, "settings.changed", ["theme": .string("colour \(index)"), "a": 1])
    }
    history.syncAll()
  }

  private mutating func disagree(_ field: String) throws {
    history.append(phone, "settings.changed", .init(dictionaryLiteral: (field, "one")))
    history.append(tablet, "settings.changed", .init(dictionaryLiteral: (field, "two")))
    try history.write(to: sandbox.path)
  }

  /// Opens and closes a store, and returns its conflicts and whether it read the whole journal.
  private func open() async throws -> (conflicts: [Conflict], readsAll: Bool) {
    sandbox.disk.resetCounts()
    let store = sandbox.store()
    try await store.refresh()
    let bytes = sandbox.disk.bytesRead
    try await store.close()
    return (store.snapshot.conflicts, bytes >= Int64(try sandbox.bytes().count))
  }

  @Test mutating func `the base of a conflict is read once and then stored`() async throws {
    try disagree("theme")
    #expect(try await open().readsAll)
    var reopened = try await open()
    #expect(!reopened.readsAll)
    #expect(reopened.conflicts.map(\.base) == ["colour 599"])

    // The base of a conflict after the checkpoint follows from the stored state.
    try disagree("a")
    reopened = try await open()
    #expect(!reopened.readsAll)
    #expect(reopened.conflicts.map(\.id) == ["settings#a", "settings#theme"])
    #expect(reopened.conflicts.map(\.base) == [1, "colour 599"])
    #expect(try sandbox.state().conflicts == reopened.conflicts)
  }

  /// A phone with an open conflict whose base its state doesn't contain.
  ///
  /// - Parameter isShown: Whether the phone's store publishes its states while it syncs.
  private func phoneWithConflict(isShown: Bool) async throws -> TemporaryStore {
    let (phone, tablet) = try await Devices.meet(records: Meal.self, catalog: .standard)
    _ = try await phone.append([.theme("base")])
    try await phone.sync(with: tablet)
    // The phone receives no tablet event that has seen the base.
    _ = try await phone.append((0..<2000).map { .theme(.string("phone \($0)")) })
    try await phone.reopen()
    _ = try await tablet.append([.theme("tablet")])
    let (path, disk) = (phone.store.path, phone.disk)
    let size = try SystemFileSystem().status(at: path).size
    let store =
      isShown
      ? phone.store
      : EventStore.unread(
        path: path, options: phone.options, catalog: phone.catalog)
    disk.resetCounts()
    let report = try await store.sync(with: JournalRemote(path: tablet.store.path))
    #expect(report.newConflicts.map(\.base) == ["base"])
    #expect(disk.bytesRead > size)
    try await store.close()
    return phone
  }

  @Test(arguments: [true, false])
  func `a base that a sync had to read is stored in the checkpoint`(isShown: Bool) async throws {
    let phone = try await phoneWithConflict(isShown: isShown)
    let size = try SystemFileSystem().status(at: phone.store.path).size
    for _ in 0..<2 {
      phone.disk.resetCounts()
      let journal = Journal(
        path: phone.store.path, catalog: phone.catalog, fileSystem: phone.disk)
      #expect(try journal.snapshot().snapshot.conflicts.map(\.base) == ["base"])
      #expect(phone.disk.bytesRead < size / 2)
      phone.disk.resetCounts()
      try await phone.reopen()
      #expect(phone.snapshot.conflicts.map(\.base) == ["base"])
      #expect(phone.disk.bytesRead < size / 2)
    }
  }

  @Test mutating func `stored bases are dropped if the journal has other contents`() async throws {
    try disagree("theme")
    let store = sandbox.store()
    try await store.refresh()
    #expect(store.snapshot.conflicts.map(\.base) == ["colour 599"])
    // The same event IDs, but another overwritten value.
    var other = History(user: "ada")
    _ = (other.device("phone"), other.device("tablet"))
    for _ in 0..<600 { other.append(phone, "settings.changed", ["theme": "plain", "a": 1]) }
    other.syncAll()
    other.append(phone, "settings.changed", ["theme": "one"])
    other.append(tablet, "settings.changed", ["theme": "two"])
    try other.write(to: sandbox.folder.file("other.jsonl"))
    try sandbox.put(try sandbox.bytes("other.jsonl"))
    try await store.refresh()
    #expect(store.snapshot.conflicts.map(\.base) == ["plain"])
  }
}
