import EventLogTesting
import Foundation
import Testing

/// Goals that change, limits, and periods at the command line.
@Suite struct GoalTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    let days = ["2026-02-01", "2026-02-02", "2026-02-03"].map { date in
      #"{"type":"completion.recorded","entity":"habit/read","#
        + #""data":{"date":"\#(date)","progress":10}}"#
    }
    let raised =
      #"{"type":"habit.edited","entity":"habit/read","data":{"goal":20},"#
      + #""at":"2026-02-03T23:30:00-08:00"}"#
    let created =
      #"{"type":"habit.created","entity":"habit/read","data":{"name":"Read","goal":10}}"#
    try workplace.write(
      "raised.jsonl", ([created] + days + [raised]).joined(separator: "\n") + "\n")
  }

  private func run(_ arguments: String...) throws -> Workplace.Run {
    try workplace.eventlog(arguments)
  }

  private func completed() throws -> [String] {
    try run("project", "ada.jsonl", "completions", "--json").text
      .components(separatedBy: #""completed":true,"date":""#).dropFirst().map {
        String($0.prefix(10))
      }
  }

  @Test func `a goal that is raised later leaves the days before completed`() throws {
    _ = try workplace.shell("eventlog append ada.jsonl --user ada - < raised.jsonl")
    #expect(try completed() == ["2026-02-01", "2026-02-02"], "from the day at the time's offset")
    let later = try run(
      "append", "ada.jsonl", "habit.edited", "Read", "goal=20", "--at", "2026-02-05T00:30:00+13:00")
    #expect(later.code == 0)
    #expect(try completed() == ["2026-02-01", "2026-02-02"], "an entry stays until it is replaced")
    _ = try run("append", "ada.jsonl", "habit.edited", "Read", "goal=10", "from=2026-02-03")
    #expect(try completed() == ["2026-02-01", "2026-02-02", "2026-02-03"])
    let line = try workplace.shell("tail -2 ada.jsonl | head -1").text
    #expect(line.contains(#""data":{"goal":20,"from":"2026-02-05"}"#))
  }

  @Test func `a day without a goal, or one that is no date, is refused`() throws {
    _ = try workplace.shell("eventlog append ada.jsonl --user ada - < raised.jsonl")
    for (words, message) in [
      (["goal=5", "from=2026-02-30"], "\"from\" must be a valid date YYYY-MM-DD."),
      (["name=Run", "from=2026-02-03"], "but it writes none of them. Nothing was written."),
    ] {
      let run = try workplace.eventlog(["append", "ada.jsonl", "habit.edited", "Read"] + words)
      #expect(run.code == 2 && run.errorText.contains(message), "\(run.errorText)")
    }
    let types = try run("types", "habit.edited")
    #expect(
      types.text.contains("from which goal, target, period, schedule apply; by default today"))
    #expect(!(try run("types", "habit.created").text.contains("from which")))
  }

  @Test func `a limit and a period are shown, and today is open`() throws {
    func append(_ arguments: String...) throws {
      let run = try workplace.eventlog(["append", "ada.jsonl", "--user", "ada"] + arguments)
      #expect(run.code == 0, "\(run.errorText)")
    }
    try append("habit.created", "wine", "name=Wine", "goal=2", "target=atMost")
    try append("habit.created", "run", "name=Run", "goal=30", "period=7", "schedule=1/7")
    for (day, glasses, distance) in [(1, 0, 10), (2, 2, 10), (3, 3, 10), (4, 1, 10)] {
      try append("completion.recorded", "wine", "date=2026-02-0\(day)", "progress=\(glasses)")
      try append("completion.recorded", "run", "date=2026-02-0\(day)", "progress=\(distance)")
    }
    #expect(try completed() == ["2026-02-03", "2026-02-01", "2026-02-02", "2026-02-04"])
    let text = try run("project", "ada.jsonl", "habits", "completions", "--today", "2026-02-04")
      .text
    #expect(text.contains("run   Run   30 in 7 days  1/7       2026-02-03      1"))
    #expect(text.contains("wine  Wine  at most 2     1/1       2026-02-02      2"))
    #expect(text.contains("2026-02-04  Wine   1         at most 2\n"), "\(text)")
    let unknown = try run("append", "ada.jsonl", "habit.edited", "wine", "target=exactly")
    #expect(unknown.code == 2 && unknown.errorText.contains("atLeast"))
  }
}
