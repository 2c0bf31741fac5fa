import EventLog
import Foundation
import Testing

/// `sync --watch` while other devices write.
@Suite struct SyncWatchTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try append("--user", "ada", "--device", "laptop", "habit.created", "read", "name=Read")
    #expect(try workplace.eventlog("sync", "ada.jsonl", "Shared").code == 0)
  }

  private func append(_ arguments: String...) throws {
    let run = try workplace.eventlog(["append", "ada.jsonl"] + arguments)
    #expect(run.code == 0, "\(run.errorText)")
  }

  @Test func `a watch sends appends and receives other devices' events until interrupted`() throws {
    #expect(try workplace.eventlog("sync", "tablet.jsonl", "Shared").code == 0)
    let watch = try RunningCommand(["sync", "ada.jsonl", "--watch"], in: workplace)
    #expect(watch.line()?.hasSuffix("Shared contain the same events.") == true)
    try append("habit.edited", "read", "goal=5")
    #expect(watch.line()?.hasPrefix("ada.jsonl and ") == true)
    #expect(watch.line()?.hasPrefix("  pushed  1 event  laptop-") == true)

    let run = try workplace.eventlog(
      "append", "tablet.jsonl", "--device", "tablet", "habit.edited", "read", "name=Novel")
    #expect(run.code == 0)
    #expect(try workplace.eventlog("sync", "tablet.jsonl", "Shared").code == 0)
    #expect(watch.line()?.hasPrefix("ada.jsonl and ") == true)
    #expect(watch.line()?.hasPrefix("  pulled  2 events  tablet-") == true)
    watch.interrupt()
    let end = watch.end()
    #expect(end.code == 0 && !end.isSignalled && end.errors.isEmpty, "\(end.errors)")
    #expect(
      try workplace.eventlog("project", "ada.jsonl", "habits", "--json").text.contains("Novel"))
  }

  @Test func `a missing remote is reported once and synced when it is back`() throws {
    let watch = try RunningCommand(["sync", "ada.jsonl", "--watch"], in: workplace)
    #expect(watch.line()?.hasSuffix("Shared contain the same events.") == true)
    let (shared, away) = (workplace.path + "/Shared", workplace.path + "/Away")
    try FileManager.default.moveItem(atPath: shared, toPath: away)
    try append("habit.edited", "read", "goal=5")
    // The retries don't create the folder again.
    let end = try bringBack(shared, from: away, watch)
    #expect(end.errors.components(separatedBy: "It will be retried.").count == 2, "\(end.errors)")
  }

  /// Restores the shared folder after a second, and expects that it wasn't created again before and
  /// that the append is pushed then.
  private func bringBack(
    _ shared: String, from away: String, _ watch: RunningCommand
  ) throws -> (code: Int32, isSignalled: Bool, errors: String) {
    for _ in 0..<10 { usleep(100_000) }
    try #require(!FileManager.default.fileExists(atPath: shared))
    try FileManager.default.moveItem(atPath: away, toPath: shared)
    #expect(watch.line()?.hasPrefix("ada.jsonl and ") == true)
    #expect(watch.line()?.hasPrefix("  pushed  1 event") == true)
    watch.interrupt()
    let end = watch.end()
    #expect(end.code == 0)
    return end
  }

  @Test func `a watch waits for a remembered remote that is missing at the start`() throws {
    let (shared, away) = (workplace.path + "/Shared", workplace.path + "/Away")
    try FileManager.default.moveItem(atPath: shared, toPath: away)
    try append("habit.edited", "read", "goal=5")
    let watch = try RunningCommand(["sync", "ada.jsonl", "--watch"], in: workplace)
    _ = try bringBack(shared, from: away, watch)
  }

  @Test func `a permanent failure ends a watch`() throws {
    let run = try workplace.eventlog(
      "append", "ben.jsonl", "--user", "ben", "habit.created", "run", "name=Run")
    #expect(run.code == 0)
    let watch = try RunningCommand(["sync", "ada.jsonl", "ben.jsonl", "--watch"], in: workplace)
    let end = watch.end()
    #expect(end.code != 0 && end.errors.contains("another user"), "\(end.errors)")
  }

  @Test(arguments: ["--plan", "--pull", "--push"])
  func `sync refuses --watch with a plan or a single direction`(option: String) throws {
    let run = try workplace.eventlog("sync", "ada.jsonl", "--watch", option)
    #expect(run.code == 2 && run.errorText.contains("--watch and \(option) cannot be combined."))
  }
}
