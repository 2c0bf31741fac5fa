import EventLog
import EventLogRemotes
import EventLogTesting

/// A sync with a shared remote ends, whatever the remote contains.
///
/// The journal loses nothing. After a successful sync, a later device gets all of its events.
///
/// Input: objects. Each is a line that begins with `#`, followed by its content: `#range`, named by
/// its first and last line; `#frontier <writer> <number>`, named by its content; `#file <name>`.
enum FolderTarget {
  static func check(_ input: [UInt8]) async throws {
    let storage = MemoryStorage(pageCount: 100)
    storage.objects = objects(of: input)
    let memory = try await MemoryJournal.shared()
    let before = memory.bytes
    let events = try memory.events()
    let remote = ObjectRemote(storage, random: .seeded(1))
    let store = memory.store()
    let report = try await run(store, remote)
    try memory.checkGrown(from: before, holding: events, and: report?.pulledCount)
    if report == nil { return }
    let secondReport = try await run(store, remote)
    try Finding.require(secondReport != nil, "The second run has failed.")
    try Finding.require(
      secondReport?.pulledCount == 0, "The second run has taken \(secondReport?.pulled ?? []).")
    let other = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    guard try await run(other.store(user: "ada"), remote) != nil else {
      throw Finding("A device that came later could take nothing.")
    }
    let missing = events.subtracting(try other.events())
    try Finding.require(missing.isEmpty, "A device that came later lacks \(missing.sorted()).")
  }

  /// Syncs, and returns nil if the remote fails.
  private static func run(
    _ store: EventStore, _ remote: ObjectRemote
  ) async throws -> SyncReport? {
    do throws(EventLogError) { return try await store.sync(with: remote) } catch {
      try error.checkIsOfRemote()
      return nil
    }
  }

  private static func objects(of input: [UInt8]) -> [String: [UInt8]] {
    var objects: [String: [UInt8]] = [:]
    var head: [String] = []
    var content: [[UInt8]] = []
    func finish() {
      let text = Sections.text(of: content)
      if let name = name(head, text, content), !text.isEmpty { objects[name] = text }
    }
    for line in Sections.lines(of: input) {
      if line.first == UInt8(ascii: "#") {
        finish()
        head = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        content = []
      } else {
        content.append(line)
      }
    }
    finish()
    return objects
  }

  private static func name(_ head: [String], _ text: [UInt8], _ lines: [[UInt8]]) -> String? {
    switch (head.first, head.count) {
    case ("#range", 1):
      guard let first = lines.first, let last = lines.last, let start = id(of: first),
        let end = id(of: last), let checksum = sealedTail(of: last)
      else { return nil }
      return "\(start.device)_\(start.sequence)-\(end.sequence)_\(checksum).jsonl"
    case ("#frontier", 3):
      let checksum = ChainDigits.text(CRC32C.checksum(text))
      return "\(head[1])_frontier_\(head[2])_\(checksum).json"
    case ("#file", 2): return head[1]
    default: return nil
    }
  }

  /// Returns the ID that a line states.
  private static func id(of line: [UInt8]) -> EventID? {
    guard case .object(let object)? = try? JSONValue(parsing: line),
      case .string(let text)? = object["id"]
    else { return nil }
    return EventID(text)
  }
}
