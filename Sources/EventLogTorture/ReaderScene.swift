import EventLog
import EventLogTesting
import Foundation
import Synchronization

/// A journal, its remote, and the processes that write to it.
final class ReaderScene: Sendable {
  private struct State {
    var isOver = false
    var findingCount = 0
    var writeCount = 0
    /// The number of events that the remote certainly holds after the last sync.
    ///
    /// A concurrent repair may record fewer, because it has read the remote earlier.
    var syncedCount = 0
    /// The number of starts and ends of repairs.
    var repairSteps = 0
  }

  private let eventlog: String
  private let own: String
  private let seed: UInt64
  private let folder: ReaderFolder
  private let state = Mutex(State())
  private let writers = DispatchGroup()

  init(eventlog: String, own: String, seed: UInt64) throws {
    (self.eventlog, self.own, self.seed) = (eventlog, own, seed)
    folder = try ReaderFolder()
  }

  var findingCount: Int { state.withLock(\.findingCount) }

  private func addFinding(_ finding: String) {
    state.withLock { $0.findingCount += 1 }
    print("FOUND: seed \(seed): \(finding)")
    fflush(nil)
  }

  func prepare() throws {
    let theme = ["settings.changed", "theme=dark"]
    for arguments in [
      ["append", "a.jsonl", "--user", "ada", "--device", "phone"] + theme,
      ["sync", "a.jsonl", "Shared"], ["sync", "b.jsonl", "Shared"],
      ["append", "b.jsonl", "--device", "tablet"] + theme,
    ] {
      let ending = try folder.run(eventlog, arguments, as: "begin")
      guard ending.code == 0 else { throw TortureError("\(arguments[0]) failed: \(ending.errors)") }
    }
  }

  // MARK: - Writes

  func startWriters() {
    start("one") { number in
      try self.write(["append", "a.jsonl", "settings.changed", "one=\(number)"])
    }
    start("batch") { number in
      let line = #"{"type":"settings.changed","data":{"batch":\#(number)}}"#
      let lines = Array(repeating: line, count: 1 + number % 40).joined(separator: "\n") + "\n"
      try self.write(["append", "a.jsonl", "-"], input: lines, as: "batch")
    }
    start("store") { _ in
      let ending = try self.folder.run(self.own, ["writer", "a.jsonl", "20"], as: "store")
      self.check(ending, ["writer"])
    }
    start("sync") { number in
      try self.write(["append", "b.jsonl", "settings.changed", "far=\(number)"], as: "sync")
      try self.write(["sync", "b.jsonl", "Shared"], as: "sync")
      let (count, steps) = (self.folder.lineCount("a.jsonl"), self.state.withLock(\.repairSteps))
      if try self.write(["sync", "a.jsonl", "Shared"], as: "sync") {
        self.state.withLock { state in
          if state.repairSteps == steps, steps.isMultiple(of: 2) { state.syncedCount = count }
        }
      }
    }
  }

  private func start(_ name: String, _ write: @escaping @Sendable (Int) throws -> Void) {
    writers.enter()
    Thread { [self] in
      defer { writers.leave() }
      var number = 0
      while !state.withLock(\.isOver) {
        number += 1
        do { try write(number) } catch { return addFinding("\(name) cannot continue: \(error)") }
      }
    }.start()
  }

  @discardableResult
  private func write(
    _ arguments: [String], input: String = "", as name: String = "one"
  ) throws -> Bool {
    check(try folder.run(eventlog, arguments, input: input, as: name), arguments)
  }

  /// Counts a write and returns whether it succeeded.
  @discardableResult
  private func check(_ ending: ReaderFolder.Ending, _ arguments: [String]) -> Bool {
    if ending.code == 0 {
      state.withLock { $0.writeCount += 1 }
      return true
    }
    // On a busy machine, a lock may time out.
    if !ending.errors.contains("has held the lock") {
      addFinding("exit \(ending.code): \(arguments.joined(separator: " ")): \(ending.errors)")
    }
    return false
  }

  /// Stops the writers and returns the number of writes.
  func stopWriters() -> Int {
    state.withLock { $0.isOver = true }
    writers.wait()
    return state.withLock(\.writeCount)
  }

  // MARK: - Reads

  func read(_ verb: String) throws {
    let synced = state.withLock(\.syncedCount)
    let arguments = [verb, "a.jsonl"] + (verb == "repair" ? [] : ["--json"])
    if verb == "repair" { state.withLock { $0.repairSteps += 1 } }
    let ending = try folder.run(eventlog, arguments, as: "read")
    if verb == "repair" {
      state.withLock { ($0.repairSteps, $0.syncedCount) = ($0.repairSteps + 1, 0) }
    }
    if verb == "repair", ending.errors.contains("has held the lock") { return }
    if ending.code != 0 || !ending.errors.isEmpty {
      addFinding("exit \(ending.code): \(verb): \(ending.output)\(ending.errors)")
    }
    guard verb == "status",
      let object = try? JSONSerialization.jsonObject(with: Data(ending.output.utf8)),
      let status = object as? [String: Any]
    else { return }
    if !(status["device"] is String) { addFinding("status: a new device ID would be taken") }
    let count = status["eventCount"] as? Int ?? 0
    let remotes = status["places"] as? [[String: Any]] ?? []
    let waiting = remotes.compactMap { $0["waitingCount"] as? Int }
    if remotes.count != 1 || waiting.count != 1 || waiting[0] > max(0, count - synced) {
      addFinding("status: \(waiting) of \(count) events wait, of which \(synced) were synced")
    }
  }
}
