import EventLog
import EventLogClouds
import EventLogTesting
import Foundation
import Testing

@testable import EventLogClouds

/// Secrets that are stored in files.
@Suite struct FileCredentialStoreTests {
  private let temporaryFolder: TemporaryFolder
  private let store: FileCredentialStore

  init() throws {
    temporaryFolder = try TemporaryFolder()
    store = FileCredentialStore(folder: temporaryFolder.file("config/eventlog"))
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func set(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: store.folder) }
  }

  @Test func `a secret can be stored, replaced and removed`() async throws {
    #expect(try await store.load("a") == nil)
    try await store.remove("a")
    try await store.save([1, 2], as: "a")
    try await store.save([3], as: "b")
    try await store.save([4], as: "a")
    #expect(try await store.load("a") == [4])
    #expect(try files.sorted() == ["a.secret", "b.secret"])
    try await store.remove("a")
    try await store.remove("a")
    #expect(try await store.load("a") == nil)
    #expect(try await store.load("b") == [3])
  }

  @Test func `only the owner can read a stored secret`() async throws {
    try await store.save([1], as: "a")
    #expect(try mode(store.folder + "/a.secret") == 0o600)
    #expect(try mode(store.folder) == 0o700)
    #expect(try mode(temporaryFolder.file("config")) == 0o700)
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o602])
  func `a secret's file that others can read or write isn't used`(mode: Int) async throws {
    try await store.save([1], as: "a")
    try set(mode, store.folder + "/a.secret")
    let error = await #expect(throws: EventLogError.self) { try await store.load("a") }
    #expect(error?.code == .accessDenied)
    #expect(error?.hint?.contains("600") == true)
    // A new secret replaces the file, with a private mode.
    try await store.save([2], as: "a")
    #expect(try await store.load("a") == [2])
    #expect(try self.mode(store.folder + "/a.secret") == 0o600)
  }

  @Test func `a secrets folder that others can open isn't used`() async throws {
    try await store.save([1], as: "a")
    try set(0o755, store.folder)
    for work in [
      { _ = try await store.load("a") }, { try await store.save([2], as: "a") },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: EventLogError.self) { try await work() }
      #expect(error?.code == .accessDenied)
      #expect(error?.hint?.contains("700") == true)
    }
    try set(0o700, store.folder)
    #expect(try await store.load("a") == [1])
  }

  @Test(arguments: ["..", ".", "", "a/b", "../../up", "/etc/passwd", "ü", "a@127.0.0.1:9099"])
  func `a secret with any name stays in the folder`(name: String) async throws {
    try await store.save([7], as: name)
    #expect(try await store.load(name) == [7])
    #expect(try files.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporaryFolder.path) == ["config"])
    let error = await #expect(throws: EventLogError.self) {
      try await store.save([1], as: String(repeating: "a", count: 300))
    }
    #expect(error?.code == .usage)
  }

  @Test func `a folder in place of a secret's file is an error`() async throws {
    try FileManager.default.createDirectory(
      atPath: store.folder + "/a.secret", withIntermediateDirectories: true)
    try set(0o700, store.folder)
    let error = await #expect(throws: EventLogError.self) { try await store.load("a") }
    #expect(error?.code == .inputOutput)
  }
}
