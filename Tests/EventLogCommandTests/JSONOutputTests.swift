import EventLog
import EventLogCollections
import EventLogInspection
import Foundation
import Testing

/// The `--json` output of every verb: one object with sorted keys, for errors too.
@Suite struct JSONOutputTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
  }

  /// Parses the single line of JSON in `bytes`, and checks that its keys are sorted.
  private func object(
    _ bytes: [UInt8], sorted: Bool = true, _ location: SourceLocation = #_sourceLocation
  ) throws -> JSONObject {
    try #require(bytes.last == 0x0A && bytes.count { $0 == 0x0A } == 1, sourceLocation: location)
    guard case .object(let object) = try JSONValue(parsing: bytes) else {
      Issue.record("no object", sourceLocation: location)
      return JSONObject()
    }
    if sorted { #expect(isSorted(.object(object)), sourceLocation: location) }
    return object
  }

  private func isSorted(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let object):
      let names = object.members.map { Array($0.name.utf8) }
      return zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
        && object.members.allSatisfy { isSorted($0.value) }
    case .array(let values): return values.allSatisfy(isSorted)
    default: return true
    }
  }

  private func names(_ object: JSONObject) -> [String] { object.members.map(\.name) }

  // MARK: - Results

  @Test func `project prints its sections, the frontier, the event count and the user`() throws {
    let run = try workplace.eventlog("project", "SampleLogs/two-devices.jsonl", "--json")
    let all = try object(run.output)
    #expect(
      names(all) == [
        "completions", "conflicts", "contested", "eventCount", "frontier", "habits", "profile",
        "settings", "user",
      ])
    let some = try object(
      workplace.eventlog("project", "SampleLogs/two-devices.jsonl", "profile", "--json").output)
    #expect(names(some) == ["contested", "eventCount", "frontier", "profile", "user"])
  }

  @Test func `append, verify, status, types and help print objects`() throws {
    let append = try object(
      workplace.eventlog(
        "append", "a.jsonl", "--user", "ada", "habit.created", "read", "--json"
      ).output)
    #expect(names(append) == ["appended", "skippedCount"])
    let verify = try workplace.eventlog("verify", "SampleLogs/damaged.jsonl", "--json")
    #expect(verify.code == 1)
    #expect(
      names(try object(verify.output)) == [
        "byteCount", "deviceCount", "eventCount", "notes", "problemCount", "problems",
      ])
    let status = try object(workplace.eventlog("status", "a.jsonl", "--json").output)
    #expect(
      names(status) == [
        "adopted", "byteCount", "conflictCount", "device", "devices", "eventCount", "frontier",
        "places", "quarantined", "remotes", "user",
      ])
    let fresh = try object(workplace.eventlog("status", "SampleLogs/ada.jsonl", "--json").output)
    #expect(fresh["device"] == .null && status["device"] != .null)
    try #expect(names(object(workplace.eventlog("types", "--json").output)) == ["types"])
    try #expect(names(object(workplace.eventlog("help", "--json").output)) == ["verbs"])
    _ = try object(workplace.eventlog("types", "habit.created", "--json").output)
    _ = try object(workplace.eventlog("help", "append", "--json").output)
  }

  @Test func `verify of several files prints one line for each with its name`() throws {
    let run = try workplace.eventlog(
      "verify", "SampleLogs/ada.jsonl", "SampleLogs/loop.jsonl", "--json")
    let files = try run.output.split(separator: 0x0A).map { line in
      try object(Array(line) + [0x0A])["file"]
    }
    #expect(files == ["SampleLogs/ada.jsonl", "SampleLogs/loop.jsonl"])
  }

  @Test func `replay with --json prints the journal's own lines`() throws {
    let run = try workplace.eventlog("replay", "SampleLogs/ada.jsonl", "--json")
    try #expect(run.output == workplace.read("SampleLogs/ada.jsonl"))
  }

  @Test func `replay with --clocks prints every line with the clock of its event`() throws {
    let run = try workplace.eventlog("replay", "SampleLogs/two-devices.jsonl", "--clocks", "--json")
    let lines = run.output.split(separator: 0x0A)
    #expect(lines.count == 39)
    let journal = Journal(path: workplace.file("SampleLogs/two-devices.jsonl"), catalog: .standard)
    var clocks: [[String]] = []
    _ = try journal.replayWithClocks { event, clock, line in
      // An event is a tip of its own clock.
      #expect(clock.tips.contains(event.fullID))
      clocks.append(clock.tips.map(\.description))
      return true
    }
    for (line, clock) in zip(lines, clocks) {
      let found = try object(Array(line) + [0x0A], sorted: false)
      #expect(names(found) == ["clock", "event"])
      #expect(found["clock"] == .array(clock.map { .string($0) }))
    }
    // The phone's last events have seen the tablet's.
    #expect(clocks.last?.count == 2 && clocks.first?.count == 1)
    let bytes = try JSONValue(parsing: Array(lines[0]))
    guard case .object(let first) = bytes, case .object(let event)? = first["event"] else {
      Issue.record("no object")
      return
    }
    #expect(names(event).first == "id" && names(event).last == "crc")
  }

  @Test func `frontiers are arrays of full IDs`() throws {
    for verb in ["status", "project"] {
      let found = try object(
        workplace.eventlog(verb, "SampleLogs/two-devices.jsonl", "--json").output)
      guard case .array(let tips)? = found["frontier"] else {
        Issue.record("no frontier")
        return
      }
      let full = tips.compactMap { tip -> FullEventID? in
        if case .string(let text) = tip { FullEventID(text) } else { nil }
      }
      #expect(full.map(\.shortID.description) == ["phone-ufryznu4:25", "tablet-i6ofrujo:14"])
    }
  }

  // MARK: - Errors

  @Test(arguments: [
    (["project", "missing.jsonl"], "noJournal", ["code", "file", "hint", "message"]),
    (["replay", "SampleLogs"], "inputOutput", ["code", "file", "hint", "message"]),
    (["project", "SampleLogs/README.md"], "notAJournal", ["code", "file", "hint", "message"]),
    (["status"], "usage", ["code", "hint", "message"]),
    (["nonsense"], "usage", ["code", "hint", "message"]),
    (["types", "a.b"], "usage", ["code", "hint", "message"]),
    (["append", "SampleLogs/ada.jsonl", "a.b"], "unknownType", ["code", "hint", "message"]),
    (
      ["append", "SampleLogs/ada.jsonl", "habit.edited", "read", "goal=x"], "invalidEvent",
      ["code", "hint", "message"]
    ),
  ])
  func `an error is an object on standard error`(
    arguments: [String], code: String, members: [String]
  ) throws {
    let run = try workplace.eventlog(arguments + ["--json"])
    #expect(run.code == 2 && run.output.isEmpty)
    let error = try object(run.errors)
    #expect(names(error) == ["error"])
    guard case .object(let inner)? = error["error"] else {
      Issue.record("no error")
      return
    }
    #expect(names(inner) == members)
    #expect(inner["code"] == .string(code))
  }

  @Test func `with --json, every way of asking for the version prints an object`() throws {
    for word in ["version", "--version", "-V"] {
      let run = try workplace.eventlog(word, "--json")
      #expect(run.code == 0)
      #expect(run.text.wholeMatch(of: #/\{"format":1,"version":"\d+\.\d+\.\d+"\}\n/#) != nil)
    }
  }
}
