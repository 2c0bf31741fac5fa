import EventLogTesting
import Testing

/// Days after today, in streaks and at an append.
@Suite struct TodayTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.write(
      "days.jsonl",
      #"{"type":"habit.created","entity":"habit/read","data":{"name":"Read"}}"# + "\n"
        + ["2026-02-01", "2026-02-02", "2026-02-03", "2999-01-01"].map { date in
          #"{"type":"completion.recorded","entity":"habit/read","#
            + #""data":{"date":"\#(date)","progress":1}}"# + "\n"
        }.joined())
  }

  private func append() throws -> Workplace.Run {
    try workplace.shell("eventlog append ada.jsonl --user ada --device phone - < days.jsonl")
  }

  @Test func `a day after tomorrow is appended with a note`() throws {
    let run = try append()
    #expect(run.code == 0)
    #expect(run.errorText.contains("2999-01-01 is after tomorrow: until then"))
    let past = try workplace.eventlog(
      "append", "ada.jsonl", "completion.recorded", "Read", "date=2026-02-04", "progress=1")
    #expect(past.code == 0 && past.errors.isEmpty)
    // A skip can be planned, and no progress is none.
    for arguments in [
      ["completion.skipped", "Read", "date=2999-01-02", "reason=holiday"],
      ["completion.recorded", "Read", "date=2999-01-03", "progress=0"],
    ] {
      let run = try workplace.eventlog(["append", "ada.jsonl"] + arguments)
      #expect(run.code == 0 && run.errors.isEmpty, "\(arguments) \(run.errorText)")
    }
  }

  @Test func `days begin at the time of the setting`() throws {
    func run(_ line: String) throws -> Workplace.Run {
      try workplace.shell("eventlog append ada.jsonl \(line)")
    }
    _ = try run("--user ada habit.created read name=Read goal=1")
    _ = try run("settings.changed dayStartsAt=04:00")
    for (time, day) in [
      ("2026-02-02T03:59:59+01:00", "2026-02-01"), ("2026-02-02T04:00:00+01:00", "2026-02-02"),
      ("2026-02-01T23:00:00-05:00", "2026-02-01"), ("2026-03-01T00:00:00+14:00", "2026-02-28"),
      ("2026-02-05T03:00:00Z", "2026-02-04"), ("2026-02-06T04:00:00Z", "2026-02-06"),
    ] {
      let recorded = try workplace.shell(
        "TZ=UTC eventlog append ada.jsonl --at \(time) completion.recorded read progress=1 &&"
          + " tail -n 1 ada.jsonl")
      #expect(recorded.text.contains(#""date":"\#(day)""#), "\(time) \(recorded.text)")
      let edited = try workplace.shell(
        "TZ=UTC eventlog append ada.jsonl --at \(time) habit.edited read goal=2 &&"
          + " tail -n 1 ada.jsonl")
      #expect(edited.text.contains(#""from":"\#(day)""#), "\(time) \(edited.text)")
    }
    for value in ["25:00", "4:00", "noon", "7"] {
      let odd = try run("settings.changed dayStartsAt=\(value)")
      #expect(odd.code == 0)
      let noted = try run("habit.edited read goal=3")
      #expect(noted.errorText.contains("which is no time of day HH:MM"), "\(noted.errorText)")
      #expect(
        try workplace.shell("eventlog project ada.jsonl habits").errorText
          .contains("which is no time of day HH:MM"))
    }
  }

  @Test func `a streak counts up to the given day`() throws {
    _ = try append()
    func habits(_ options: String...) throws -> Workplace.Run {
      try workplace.eventlog(["project", "ada.jsonl", "habits"] + options)
    }
    #expect(try habits().text.contains("2026-02-03      3"))
    #expect(try habits("--today", "2026-02-02").text.contains("2026-02-02      2"))
    #expect(try habits("--today", "2999-01-02").text.contains("2999-01-01      1"))
    let json = try habits("--json", "--today", "2026-02-30")
    #expect(json.code == 2)
    let refused = try habits("--today", "2026-02-30")
    #expect(refused.code == 2)
    #expect(refused.errorText.contains("--today takes a date, and \"2026-02-30\" is none."))
  }
}
