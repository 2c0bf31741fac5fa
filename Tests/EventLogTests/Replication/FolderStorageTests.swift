import EventLogTesting
import Testing

@testable import EventLog

@Suite struct FolderStorageTests {
  private let folder: TemporaryFolder
  private let disk = InstrumentedFileSystem()
  private var path: String { folder.file("Shared") }
  private var storage: FolderStorage { FolderStorage(path: path, fileSystem: disk) }

  init() throws { folder = try TemporaryFolder() }

  @Test func `an object is put once, and read as it was put`() async throws {
    let storage = storage
    #expect(try await storage.list(after: nil).isEmpty)
    #expect(try await storage.read("a") == nil)
    #expect(try await storage.put("a", [1, 2, 3]))
    #expect(try await !storage.put("a", [4]))
    #expect(try await storage.read("a") == [1, 2, 3])
    #expect(try await storage.put("b", []))
    #expect(
      try await storage.list(after: nil)
        == [StoredObject(name: "a", byteCount: 3), StoredObject(name: "b", byteCount: 0)])
    #expect(try await storage.list(after: "a").map(\.name) == ["b"])
    #expect(try await storage.list(after: "b").isEmpty)
    try await storage.remove("a")
    try await storage.remove("a")
    #expect(try await storage.list(after: nil).map(\.name) == ["b"])
  }

  @Test func `a put that fails at any call leaves no object, or all of it`() async throws {
    var failureCount = 0
    for count in 0..<16 {
      let name = "object\(count)"
      disk.failNextCall(after: count, with: .inputOutput)
      let code = await failureCode { () async throws(EventLogError) in
        _ = try await storage.put(name, Array("whole\n".utf8))
      }
      disk.stopFailing()
      let found = try await storage.read(name)
      #expect(found == nil || found == Array("whole\n".utf8))
      // Nothing else lies about that a reader would take for an object.
      #expect(try await storage.list(after: nil).allSatisfy { $0.name.hasPrefix("object") })
      #expect(code == nil || code == .inputOutput)
      if code == nil { #expect(found != nil) } else { failureCount += 1 }
    }
    #expect(failureCount > 4)
  }

  @Test func `an object's bytes are certain before it has its name`() async throws {
    let recorder = CrashRecorder(InstrumentedFileSystem())
    let storage = FolderStorage(path: path, fileSystem: recorder)
    #expect(try await storage.put("a", Array("whole\n".utf8)))
    #expect(
      recorder.possibleContents(of: folder.file("Shared/a"), limit: 100, seed: 1)
        == [Array("whole\n".utf8)])
  }

  @Test func `the folder's own folder has to be there`() async throws {
    let storage = FolderStorage(path: folder.file("none/Shared"), fileSystem: disk)
    #expect(
      await failureCode { () async throws(EventLogError) in _ = try await storage.put("a", []) }
        == .inputOutput)
    // A file is no folder.
    #expect(try await self.storage.put("file", [1]))
    let file = FolderStorage(path: folder.file("Shared/file"), fileSystem: disk)
    #expect(
      await failureCode { () async throws(EventLogError) in _ = try await file.list(after: nil) }
        == .inputOutput)
  }
}
