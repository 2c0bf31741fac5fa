import EventLog
import Foundation
import Testing

/// `replay --follow` while other processes append.
@Suite struct FollowTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    #expect(
      try workplace.eventlog(
        "append", "ada.jsonl", "--user", "ada", "--device", "laptop", "habit.created", "read"
      ).code == 0)
  }

  private func follow(_ arguments: String...) throws -> RunningCommand {
    try RunningCommand(["replay", "ada.jsonl", "--follow"] + arguments, in: workplace)
  }

  private func append(_ arguments: String...) throws {
    let run = try workplace.eventlog(["append", "ada.jsonl"] + arguments)
    #expect(run.code == 0, "\(run.errorText)")
  }

  @Test func `following prints events of other processes as they are appended`() throws {
    let follower = try follow()
    #expect(follower.parts()?[2] == "device.joined")
    #expect(follower.parts()?[2...] == ["habit.created", "habit/read"])
    for theme in ["dark", "light", "dark"] {
      try append("settings.changed", "theme=\(theme)")
      #expect(follower.parts()?[2...] == ["settings.changed", "theme=\(theme)"])
    }
    follower.interrupt()
    let end = follower.end()
    #expect(end.isSignalled && end.code == 2 && end.errors.isEmpty)
  }

  @Test func `following prints only events that match the filter`() throws {
    let follower = try follow("--type", "settings.*", "--json")
    try append("profile.updated", "firstName=Ada")
    try append("settings.changed", "theme=dark")
    let lines = try workplace.read("ada.jsonl").split(separator: 0x0A)
    #expect(follower.line() == String(decoding: lines.last!, as: UTF8.self))
    follower.interrupt()
    #expect(follower.end().errors.isEmpty)
  }

  @Test func `following with --last 2 prints the last two events and then new ones`() throws {
    for count in 1...5 { try append("settings.changed", "theme=\(count)") }
    let follower = try follow("--last", "2")
    #expect(follower.parts()?.last == "theme=4")
    #expect(follower.parts()?.last == "theme=5")
    for count in 6...9 {
      try append("settings.changed", "theme=\(count)")
      #expect(follower.parts()?.last == "theme=\(count)")
    }
    follower.interrupt()
    #expect(follower.end().errors.isEmpty)
  }

  @Test func `following with --last 0 prints a new event first`() throws {
    let follower = try follow("--last", "0")
    // The start of following can't be observed, so append until an event is printed.
    let appender = Process()
    appender.executableURL = URL(fileURLWithPath: "/bin/sh")
    appender.arguments = [
      "-c", "while test ! -e seen; do \"$1\" append ada.jsonl settings.changed theme=new; done",
      "sh", try #require(BuiltProduct.path),
    ]
    appender.currentDirectoryURL = URL(fileURLWithPath: workplace.path)
    appender.standardOutput = FileHandle.nullDevice
    try appender.run()
    #expect(follower.parts()?[2...] == ["settings.changed", "theme=new"])
    try workplace.write("seen", "")
    _ = appender.reap()
    follower.interrupt()
    #expect(follower.end().errors.isEmpty)
  }

  @Test func `following ends if its reader is gone, at the next event at the latest`() throws {
    let follower = try follow()
    #expect(follower.line() != nil)
    try follower.closeOutput()
    #if !os(Linux)
      try append("settings.changed", "theme=dark")
    #endif
    let end = follower.end()
    #expect(end.code == 0 && !end.isSignalled && end.errors.isEmpty)
  }

  @Test func `following reports new damage and continues`() throws {
    let follower = try follow()
    for _ in 1...2 { #expect(follower.line() != nil) }
    for _ in 1...2 { try append("settings.changed", "theme=dark") }
    for _ in 1...2 { #expect(follower.line() != nil) }
    var bytes = try workplace.read("ada.jsonl")
    bytes[bytes.firstIndex(of: 0x0A)! + 20] ^= 1
    try workplace.write("new", bytes)
    _ = try workplace.shell("mv new ada.jsonl")
    #expect(workplace.isFollowed(follower, after: "settings.changed"))
    follower.interrupt()
    let errors = follower.end().errors
    #expect(errors.hasPrefix("Warning: ada.jsonl:2: ") && errors.contains("eventlog repair"))
  }

  @Test func `following a file that isn't a journal fails before any output`() throws {
    try workplace.follow(
      """
      $ eventlog replay missing.jsonl --follow
      ! Error: There is no journal at "missing.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      $ echo text > text && eventlog replay text --follow
      ! Error: "text" is not a journal: it contains no events. It was not changed.
      ! Hint: Check the path.
      ? 2
      """)
  }
}

extension Workplace {
  /// Whether a follower prints the events that are appended to a damaged copy.
  fileprivate func isFollowed(_ follower: RunningCommand, after type: String) -> Bool {
    let run = try? eventlog(
      ["append", "ada.jsonl", type, "theme=light"])
    return run?.code == 0 && follower.line()?.contains("device.joined") == true
      && follower.line()?.contains("theme=light") == true
  }
}
