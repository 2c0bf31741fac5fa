import EventLogTesting
import Synchronization
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Reading all objects of a place.
@Suite struct StorageRemoteTests {
  @Test func `an object that another device joins with others meanwhile is not overlooked`()
    async throws
  {
    var storage = ScriptedStorage()
    for name in ["a", "b"] { _ = try await storage.base.put(name, Array(name.utf8)) }
    storage.onRead = { (base, name) throws(EventLogError) in
      // Another device joins the next object with a new one, and removes it.
      if name == "a" {
        _ = try await base.put("bc", Array("bc".utf8))
        try await base.remove("b")
      }
      return try await base.read(name)
    }
    let seen = Mutex<[String]>([])
    try await ObjectRemote(storage).readObjects { name, bytes in
      #expect(bytes == Array(name.utf8))
      seen.withLock { $0.append(name) }
    }
    #expect(seen.withLock { $0 } == ["a", "bc"])
  }

  @Test func `a place whose listed objects are never there fails`() async throws {
    var storage = ScriptedStorage()
    _ = try await storage.base.put("a", [1])
    storage.onRead = { _, _ in nil }
    let remote = ObjectRemote(storage)
    let error = await #expect(throws: EventLogError.self) {
      try await remote.readObjects { _, _ in }
    }
    #expect(error?.code == .remoteFailed)
  }
}
