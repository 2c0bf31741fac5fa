import EventLogTesting
import Foundation
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

  @Test func `what a put that was cut off has left is removed a day later`() async throws {
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

  @Test func `an error names the file`() async throws {
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
  func `a folder of journals is no shared folder`(name: String, isShared: Bool) async throws {
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
