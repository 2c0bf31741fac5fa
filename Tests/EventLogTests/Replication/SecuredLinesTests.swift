import EventLog
import EventLogCollections
import EventLogRemotes
import EventLogTesting
import Testing

/// Events that are sent or reported as received survive a power loss.
@Suite struct SecuredLinesTests {
  @Test
  func `lines that another program has appended are synced before they are sent`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let recorder = CrashRecorder(InstrumentedFileSystem(machineIdentity: "phone"))
    let options = JournalOptions.repeatable(fileSystem: recorder)
    let store = try await EventStore.open(path: path, options: options, catalog: .standard)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["a": 1])])
    // Like `cat`: written, but not synced.
    var other = HandmadeDevice("other-aaaaaaaa")
    let file = try recorder.open(path, .readWrite)
    let size = try recorder.status(of: file).size
    let lines = (other.join(user: "ada") + [0x0A]) + (other.event() + [0x0A])
    try recorder.writeAll(file, lines, at: size)
    recorder.close(file)
    let far = JournalRemote(
      path: folder.file("far.jsonl"),
      options: .repeatable(
        device: "far", user: nil, fileSystem: InstrumentedFileSystem(machineIdentity: "far")))
    var pushCount = 0
    for try await progress in store.replication(with: far) {
      guard case .pushed = progress else { continue }
      pushCount += 1
      for image in recorder.possibleContents(of: path, limit: 200, seed: 1) {
        #expect(image.starts(with: lines) || contains(image, lines))
      }
    }
    #expect(pushCount > 0)
    try await store.close()
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)] == part[...] }
  }

  @Test func `events that a sync reports as received survive a power loss`() async throws {
    let tablet = try await TemporaryStore(device: "tablet", records: Meal.self, catalog: .standard)
    for number in 0..<3 { _ = try await tablet.create(Meal.self, key: "\(number)") }
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let recorder = CrashRecorder(InstrumentedFileSystem(machineIdentity: "phone"))
    let store = try await EventStore.open(
      path: path, options: .repeatable(fileSystem: recorder), catalog: .standard)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["a": 1])])
    var pulled: Int64 = 0
    for try await progress in store.replication(with: tablet.remote) {
      if case .pulled(let count, _) = progress { pulled = count }
      for image in recorder.possibleContents(of: path, limit: 200, seed: 1) {
        let lines = image.split(separator: 0x0A).filter { line in line.contains { $0 != 0x20 } }
        #expect(Int64(lines.count) >= 2 + pulled)
      }
    }
    #expect(pulled == 4)
    try await store.close()
  }

  @Test func `a sync with a folder leaves only whole files after a power loss`() async throws {
    let folder = try TemporaryFolder()
    let recorder = CrashRecorder(InstrumentedFileSystem())
    let shared = FolderRemote(
      path: folder.file("Shared"), options: .repeatable(fileSystem: recorder))
    let phone = try await TemporaryStore(device: "phone", records: Meal.self, catalog: .standard)
    var announced: Set<String> = []
    for number in 0..<3 {
      _ = try await phone.create(Meal.self, key: "\(number)")
      for try await _ in phone.store.replication(with: shared) {
        let names = (try? recorder.contents(of: folder.file("Shared"))) ?? []
        for name in names where !name.hasPrefix(".") {
          let file = folder.file("Shared/\(name)")
          let images = recorder.possibleContents(of: file, limit: 100, seed: 1)
          let whole = try recorder.contents(ofFile: file, maximumBytes: 1 << 20)
          #expect(images == [whole] && !recorder.mayBeMissing(file), "\(name)")
          announced.insert(name)
        }
      }
    }
    #expect(announced.filter { $0.hasSuffix(".jsonl") }.count == 3)
    #expect(announced.filter { $0.hasSuffix(".json") }.count == 3)
  }
}
