import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

@Suite struct FolderStorageTests {
  private let folder: TemporaryFolder
  private let disk = InstrumentedFileSystem()
  private var path: String { folder.file("Shared") }
  private var storage: FolderStorage { FolderStorage(path: path, fileSystem: disk) }

  init() throws { folder = try TemporaryFolder() }

  @Test func `an object can be put once, read, listed and removed`() async throws {
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

  @Test func `a nested storage is a folder that the first put creates`() async throws {
    let nested = try #require(storage.storage(named: "attachments"))
    #expect(try await nested.list(after: nil).isEmpty)
    #expect(try await nested.put("a", [1]))
    #expect(try disk.contents(of: folder.file("Shared/attachments")) == ["a"])
    #expect(try await storage.list(after: nil).isEmpty)
    #expect(try await storage.put("b", [2]))
    #expect(try await storage.list(after: nil).map(\.name) == ["b"])
    #expect(try await nested.list(after: nil).map(\.name) == ["a"])
  }

  @Test func `a put that fails at any call leaves no object or a whole one`() async throws {
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
      // No other file remains that a reader could mistake for an object.
      #expect(try await storage.list(after: nil).allSatisfy { $0.name.hasPrefix("object") })
      #expect(code == nil || code == .inputOutput)
      if code == nil { #expect(found != nil) } else { failureCount += 1 }
    }
    #expect(failureCount > 4)
  }

  @Test func `an object's bytes are synced before it gets its name`() async throws {
    let recorder = CrashRecorder(InstrumentedFileSystem())
    let storage = FolderStorage(path: path, fileSystem: recorder)
    #expect(try await storage.put("a", Array("whole\n".utf8)))
    #expect(
      recorder.possibleContents(of: folder.file("Shared/a"), limit: 100, seed: 1)
        == [Array("whole\n".utf8)])
  }

  @Test func `a put fails if the folder's parent is missing or a file`() async throws {
    let storage = FolderStorage(path: folder.file("none/Shared"), fileSystem: disk)
    #expect(
      await failureCode { () async throws(EventLogError) in _ = try await storage.put("a", []) }
        == .inputOutput)
    // A file instead of a folder.
    #expect(try await self.storage.put("file", [1]))
    let file = FolderStorage(path: folder.file("Shared/file"), fileSystem: disk)
    #expect(
      await failureCode { () async throws(EventLogError) in _ = try await file.list(after: nil) }
        == .inputOutput)
  }

  @Test func `temporary files of interrupted puts are removed after a day`() async throws {
    let (old, young) = (".eventlog-abcdefgh.tmp", ".eventlog-bcdefghi.tmp")
    #expect(try await storage.put("a", [1]))
    for (name, hours) in [(old, 25.0), (young, 23), (".other.tmp", 99), ("b.tmp", 99)] {
      try disk.replaceFile(at: folder.file("Shared/\(name)"), with: [1])
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600 * hours)],
        ofItemAtPath: folder.file("Shared/\(name)"))
    }
    #expect(try await storage.put("c", [1]))
    let names = try disk.contents(of: path)
    #expect(!names.contains(old) && names.contains(young))
    #expect(names.contains(".other.tmp") && names.contains("b.tmp"))
  }

  @Test func `an error of a read names the file and has a hint`() async throws {
    let storage = storage
    #expect(try await storage.put("a", [1]))
    disk.failNextCall(after: 0, with: .permissionDenied)
    do {
      _ = try await storage.read("a")
      Issue.record("It could be read.")
    } catch {
      #expect(error.location.file == folder.file("Shared/a"))
      #expect(error.hint?.contains("chmod") == true)
    }
    disk.stopFailing()
  }

  @Test(arguments: [("b.jsonl", false), ("b.eventlog", false), ("photo.jpg", true)])
  func `a folder of journals is refused as a shared folder`(name: String, isShared: Bool)
    async throws
  {
    try disk.makeFolder(path)
    try disk.replaceFile(at: folder.file("Shared/\(name)"), with: [1])
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self)
    let code = await failureCode { () async throws(EventLogError) in
      try await phone.sync(with: FolderRemote(path: self.path))
    }
    #expect(code == (isShared ? nil : .usage))
    if !isShared { #expect(try disk.contents(of: path) == [name]) }
  }
}
