import EventLog
import Foundation
import Testing

/// Files that aren't sound journals: `verify` prints the line and byte and exits with 1, other
/// verbs warn and continue, and the file doesn't change.
///
/// `CorpusTests` compares each line and code in the library.
@Suite struct BadFileTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append good.jsonl --user ada --device laptop habit.created read name=Read
      laptop-aaaaaaa2:2  habit/read
      $ for day in 1 2 3
      > do eventlog append good.jsonl completion.advanced read date=2026-01-0$day by=$day; done
      laptop-aaaaaaa2:3  habit/read
      laptop-aaaaaaa2:4  habit/read
      laptop-aaaaaaa2:5  habit/read
      """)
  }

  @Test func `JSON without events isn't a journal`() throws {
    try workplace.write("bad.jsonl", "{\"hello\":1}\n[1,2]\n\"x\"\n")
    try workplace.follow(
      """
      $ eventlog verify bad.jsonl
      bad.jsonl:1: byte 0: doubtfulTail: The file contains no events (its first line does not end \
      with its checksum): it is not a journal, or nothing is left of one. An append refuses it \
      and does not change it.
      bad.jsonl: 1 problem, 0 events from 0 devices in 22 bytes.
      ? 1
      $ eventlog append bad.jsonl --user ada habit.created read
      ! Error: "bad.jsonl" is not a journal: it contains no events. It was not changed.
      ! Hint: Check the path.
      ? 2
      $ cat bad.jsonl
      {"hello":1}
      [1,2]
      "x"
      """)
  }

  @Test func `a journal that has lost its whole content isn't called new or foreign`() throws {
    try workplace.follow(
      """
      $ echo junk > junk && cat junk > good.jsonl
      $ eventlog append good.jsonl habit.created read
      ! Error: "good.jsonl" contains no valid line, although laptop-aaaaaaa2:5 was written to it: \
      its content was damaged or replaced. It was not changed.
      ! Hint: Restore it from a copy, or move it away and sync a new journal with another device.
      ? 2
      $ : > good.jsonl
      $ eventlog append good.jsonl habit.created read 2>&1 | grep -v ^Warning
      Error: The line that names the journal's user is damaged or missing. Nothing was written.
      Hint: Specify the user: --user NAME.
      """)
  }

  @Test func `a torn first batch doesn't count as a foreign file`() throws {
    // As after a crash: the record was written before the batch, and lists no synced event.
    try workplace.follow(
      """
      $ head -c 40 good.jsonl > torn && cat torn > good.jsonl
      $ sed -e 's/"sequence":[0-9]*/"sequence":0/' good.eventlog/device.json > record
      $ cat record > good.eventlog/device.json
      $ eventlog verify good.jsonl
      good.jsonl:1: byte 0: doubtfulTail: The last 40 bytes are an interrupted append or damage \
      (their first line ends before its JSON is complete). They do not count; the next append \
      moves them to the quarantine folder.
      good.jsonl: 1 problem, 0 events from 0 devices in 40 bytes.
      ? 1
      $ eventlog append good.jsonl --user ada --device laptop habit.created read 2> notes
      laptop-bbbbbbb2:2  habit/read
      $ eventlog verify good.jsonl > verified && grep -c quarantine notes
      1
      """)
  }

  @Test func `every reading verb continues despite damage and prints one warning`() throws {
    let made = try workplace.shell(
      "sed 4s/2026/2025/ good.jsonl > bad.jsonl && cp bad.jsonl before")
    try #require(made.code == 0)
    for (verb, code) in [
      ("replay bad.jsonl", 0), ("replay bad.jsonl --json", 0), ("project bad.jsonl --json", 0),
      ("why bad.jsonl read name", 0), ("conflicts bad.jsonl --check", 0), ("status bad.jsonl", 0),
      ("diff bad.jsonl good.jsonl", 1),
    ] {
      let run = try workplace.shell("eventlog \(verb)")
      #expect(run.code == code, "\(verb): \(run.errorText)")
      let lines = run.errorText.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("Warning: bad.jsonl:4: "), "\(verb)")
      #expect(lines[0].contains("eventlog repair") && lines[0].contains("eventlog sync"), "\(verb)")
    }
    try #expect(workplace.read("bad.jsonl") == workplace.read("before"))
    #expect(
      !FileManager.default.fileExists(atPath: workplace.file("bad.eventlog")),
      "A read left files in the side folder.")
  }
}
