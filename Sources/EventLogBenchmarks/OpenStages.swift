import EventLog
import EventLogCollections

/// Times how long it takes to open a store, with and without a checkpoint, and to write one.
struct OpenStages {
  let path: String

  func run() async throws {
    let disk = SystemFileSystem()
    let side = SideFolder(beside: path, fileSystem: disk)
    for round in 1...5 {
      side.removeCheckpoints()
      let clock = ContinuousClock()
      var store = try await open()
      let whole = try await clock.measure { store = try await open() }
      let writing = try await clock.measure { try await store.close() }
      let size = side.readCheckpoint(of: Fold.definition(.standard), besideBytes: .max)?.count ?? 0
      let resumed = try await clock.measure { store = try await open() }
      print(
        "\(round): open \(whole), with a checkpoint \(resumed), writing it \(writing):"
          + " \(size) bytes, \(store.snapshot.eventCount) events")
    }
  }

  private func open() async throws -> EventStore {
    try await EventStore.open(path: path, catalog: .standard)
  }
}
