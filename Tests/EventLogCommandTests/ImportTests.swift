import EventLog
import Foundation
import Testing

@testable import EventLogCommand

/// `eventlog import` of the built command.
@Suite struct ImportTests {
  private func workplace() throws -> Workplace {
    let workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    _ = try workplace.shell(
      "eventlog append ada.jsonl --user ada profile.updated birthday=1980-01-01")
    return workplace
  }

  @Test func `a refused import leaves every file unchanged`() throws {
    let workplace = try workplace()
    try workplace.write("deep.plist", "<plist>" + String(repeating: "<array>", count: 10_000))
    try workplace.write("cut.plist", "<plist><dict><key>UserTheme</key>")
    try workplace.write("map.json", #"{"source":"a","keys":{"A":{"kind":"setings","field":"a"}}}"#)
    _ = try workplace.shell("truncate -s 100000000 big.plist")
    try workplace.write("old.plist", "{ UserTheme = 1; }")
    try workplace.write(
      "twice.plist", "<plist><dict><key>A</key><true/><key>A</key><true/></dict></plist>")
    try workplace.write("marks.csv", "HabitName;CalendarDate\n\"Read\";2026-01-01\n")
    try workplace.write("bytes.csv", [0x80, 0x09, 0xFF, 0xFE, 0x00, 0x09, 0x7A, 0x0A])
    try workplace.write("food.csv", "Name,Energy\nOats,370\nRice,abc\n")
    let food =
      #"{"source":"food","tables":[{"files":"food.csv","kind":"food","key":"{Name}","#
      + #""fields":{"name":{"column":"Name"},"kcal":{"column":"Energy"}}}]}"#
    try workplace.write("food.json", food)
    try workplace.write("export.zip", "PK\u{3}\u{4}…")
    _ = try workplace.shell("mkdir Empty && : > Empty/Habits.csv")
    let app = "SampleLogs/Imports/App.plist"
    let before = try workplace.shell(
      "find . -type f -newermt 2000-01-01 | sort | xargs -d '\\n' cksum")
    for (arguments, message) in [
      (["deep.plist", "--map", "settings"], "nested deeper than 60 levels"),
      (["cut.plist", "--map", "settings"], "it is cut off (line 1, column "),
      (["big.plist", "--map", "settings"], "is larger than 64 MiB"),
      (["none.plist", "--map", "settings"], "No such file or directory"),
      (["SampleLogs", "--map", "loop"], "The map needs Habits.csv"),
      ([app, "--map", "settings"], "depends on the zone"),
      ([app, "--map", "settings", "--zone", "Europe/Berlni"], "There is no time zone"),
      ([app, "--map", "settings", "--zone", "../zone"], "There is no time zone"),
      ([app, "--map", "map.json"], "unknown collection, \"setings\""),
      ([app, "--map", "loop"], "Habits.csv"), ([app, "--map", "lop"], "There is no map \"lop\""),
      ([app, "--map", "SampleLogs"], "Could not read the map"),
      ([app, "--map", "settings", "--zone", "UTC", "--source", "a b"], "name of a source"),
      ([app, "--map", "settings", "--zone", "UTC", "--user", "ben"], "not to \"ben\""),
      ([app], "needs a map"), ([], "needs a file"),
      (["old.plist", "--map", "settings"], "a property list in the old form"),
      (["twice.plist", "--map", "settings"], "the key \"A\" is there twice"),
      (["marks.csv", "--map", "habitbull"], "has no column \"HabitDescription\""),
      (["bytes.csv", "--map", "habitbull"], "bytes.csv:1: the line is not text in UTF-8"),
      (["food.csv", "--map", "food.json"], "or leave all such values out: \"lenient\": true"),
      (["export.zip", "--map", "habitbull"], "is a ZIP archive"),
      (["Empty", "--map", "loop"], "\"Empty/Habits.csv\" is empty"),
      ([app, "--map", "settings", "--zone", "UTC", "--place", "x"], "has no place \"x\""),
    ] {
      let run = try workplace.eventlog(["import", "ada.jsonl"] + arguments)
      #expect(run.code == 2 && run.output.isEmpty, "\(arguments): \(run.errorText)")
      #expect(run.errorText.contains(message), "\(arguments): \(run.errorText)")
      #expect(run.errorText.split(separator: "\n").count <= 2)
      let json = try workplace.eventlog(["import", "ada.jsonl"] + arguments + ["--json"])
      #expect(json.code == 2 && json.errorText.hasPrefix("{\"error\":{"))
    }
    let after = try workplace.shell(
      "find . -type f -newermt 2000-01-01 | sort | xargs -d '\\n' cksum")
    #expect(before.output == after.output)
    try #expect(workplace.eventlog("import", "no.jsonl", app, "--map", "settings").code == 2)
    #expect(!FileManager.default.fileExists(atPath: workplace.file("no.jsonl")))
  }

  @Test func `an error about a file that can't be imported has a hint`() throws {
    let workplace = try workplace()
    try workplace.write("old.plist", "{ UserTheme = 1; }")
    try workplace.write("marks.csv", "HabitName;CalendarDate\nRead;2026-01-01\n")
    try workplace.write("export.zip", "PK\u{3}\u{4}…")
    try workplace.write("cut.plist", "<plist><dict><key>UserTheme</key>")
    try workplace.write("quote.csv", "HabitName,\"Calendar\n")
    for (file, map, hint) in [
      ("old.plist", "settings", "plutil -convert xml1"), ("marks.csv", "habitbull", "of that app"),
      ("export.zip", "loop", "Unpack the archive first."), ("cut.plist", "settings", "is whole"),
      ("quote.csv", "habitbull", "is whole"),
    ] {
      let run = try workplace.eventlog("import", "ada.jsonl", file, "--map", map)
      let lines = run.errorText.split(separator: "\n")
      #expect(run.code == 2 && lines.count == 2, "\(run.errorText)")
      #expect(lines.last?.hasPrefix("Hint: ") == true && lines.last?.contains(hint) == true)
    }
  }

  @Test func `a link that leads nowhere is named, not the folder that contains it`() throws {
    let workplace = try workplace()
    try workplace.follow(
      """
      $ mkdir -p export/old; ln -s nowhere export/old/a.csv
      $ eventlog import ada.jsonl export --map habitbull
      ! Error: Could not read "export/old/a.csv": No such file or directory. Nothing was written.
      ! Hint: Remove it from the folder if it isn't part of the export.
      ? 2
      """)
  }

  @Test func `missing parts of an export are reported`() throws {
    let workplace = try workplace()
    try workplace.follow(
      """
      $ cp -r SampleLogs/Imports/Loop Part && rm -r "$(ls -d Part/*/ | head -1)"
      $ : > "$(ls -d Part/*/ | head -1)Checkmarks.csv"
      $ eventlog import ada.jsonl Part --map loop | grep -c 'so its days are missing'
      1
      $ eventlog import ada.jsonl Part --map loop | grep -c 'Checkmarks.csv is empty'
      1
      """)
  }

  @Test func `a value outside its setting is skipped and its key is kept`() throws {
    let workplace = try workplace()
    try workplace.write(
      "app.json", #"{"UserTheme": 9, "UserSounds": true, "GuestUserSounds": false}"#)
    try workplace.follow(
      """
      $ eventlog import ada.jsonl app.json --map settings | tail -n +3

      Not taken as it stands: 1 value
        UserTheme was left: its value must be one of 0, 1, 2, system, light, dark.
      1 value of a guest: import the file into the guest's journal. With --place guest, that \
      import takes nothing else.

      The app may now delete 1 key
        UserSounds
      $ eventlog import guest.jsonl app.json --map settings --place guest --user guest-1 \
      | grep -A 1 'may now'
      The app may now delete 1 key
        GuestUserSounds
      $ eventlog project guest.jsonl settings
      Settings
        sounds  false
      """)
  }

  @Test func `a plan predicts the result of the import`() throws {
    let workplace = try workplace()
    let arguments = ["import", "ada.jsonl", "SampleLogs/Imports/App.plist", "--map", "settings"]
    func object(_ more: String...) throws -> [String: Any] {
      let run = try workplace.eventlog(arguments + ["--zone", "Europe/Berlin", "--json"] + more)
      #expect(run.code == 0, "\(run.errorText)")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
    }
    let before = try workplace.read("ada.jsonl")
    let plan = try object("--plan")
    #expect(try workplace.read("ada.jsonl") == before)
    #expect(plan["plan"] as? Bool == true)
    let result = try object()
    for name in ["eventCount", "valueCount"] {
      #expect(plan[name] as? Int == result[name] as? Int && result[name] as? Int ?? 0 > 10)
    }
    let conflicts = try #require(result["conflicts"] as? [[String: Any]])
    #expect(conflicts.map { $0["id"] as? String } == ["profile#birthday"])
    #expect(try object()["eventCount"] as? Int == 0)
  }

  @Test func `an import uses the zone's UTC offset on the given date`() throws {
    let workplace = try workplace()
    // 22:15 UTC is past midnight in Berlin in summer, and before it in winter.
    for (time, day) in [
      ("1990-07-01T22:15:00Z", "1990-07-02"), ("1990-01-01T22:15:00Z", "1990-01-01"),
    ] {
      try workplace.write("a.json", "{\"UserBirthday\":\"\(time)\"}")
      _ = try workplace.shell(
        "rm -rf b.*; eventlog import b.jsonl a.json --user b --map settings --zone Europe/Berlin")
      let state = try workplace.eventlog("project", "b.jsonl", "profile", "--json").text
      #expect(state.contains("\"birthday\":\"\(day)\""), "\(state)")
    }
  }

  @Test func `a built-in map can be printed, edited and used`() throws {
    let workplace = try workplace()
    let run = try workplace.shell(
      "eventlog import --print-map habitbull"
        + " | sed 's|\"source\":|\"dates\":\"D/M\",\"source\":|' > mine.json"
        + " && printf '%s\\n%s\\n' HabitName,HabitDescription,HabitCategory"
        + ",CalendarDate,Value,CommentText"
        + " Read,,,9/1/2026,1, > h.csv && eventlog import ada.jsonl h.csv --map mine.json"
        + " && eventlog project ada.jsonl completions --json")
    #expect(run.code == 0 && run.text.contains("2026-01-09"), "\(run.errorText)")
    try #expect(
      workplace.eventlog("import", "--print-map", "habitbul").errorText.contains("habitbull?"))
    let list = try workplace.eventlog("import", "--map", "list")
    let names = list.text.split(separator: "\n").map { $0.split(separator: " ")[0] }
    #expect(names.count == 7 && list.code == 0)
    for name in names.map(String.init) {
      let json = try workplace.eventlog("import", "--print-map", name, "--json")
      #expect(json.code == 0 && json.text.hasPrefix("{\"source\":"))
    }
  }

  @Test func `an import can be undone, planned, and repeated`() throws {
    let workplace = try workplace()
    try workplace.write(
      "h.csv",
      "HabitName,HabitDescription,HabitCategory,CalendarDate,Value,CommentText\n"
        + "Run,,Fit,5/11/2026,1,\n")
    let first = "eventlog import ada.jsonl h.csv --map habitbull --dates M/D"
    #expect(try workplace.shell(first).code == 0)
    let plan = try workplace.shell(
      "cksum ada.jsonl > a; eventlog import ada.jsonl --undo habitbull --plan"
        + "; cksum ada.jsonl | cmp - a && echo same")
    #expect(plan.text.contains("undoing habitbull would change 1 value"), "\(plan.errorText)")
    #expect(plan.text.hasSuffix("same\n"))
    let undo = try workplace.eventlog("import", "ada.jsonl", "--undo", "habitbull", "--json")
    #expect(undo.code == 0 && undo.text.contains(#""field":"presence""#), "\(undo.errorText)")
    let again = try workplace.shell(
      "eventlog import ada.jsonl --undo habitbull"
        + " && eventlog import ada.jsonl h.csv --map habitbull --dates D/M"
        + " && eventlog project ada.jsonl completions --json && eventlog verify ada.jsonl")
    #expect(again.code == 0, "\(again.errorText)")
    #expect(again.text.contains("nothing of habitbull is left to undo"))
    #expect(again.text.contains("2026-11-05") && !again.text.contains("2026-05-11"))
    #expect(!again.text.contains("note"), "\(again.text)")
    let wrong = try workplace.eventlog("import", "ada.jsonl", "--undo", "looop")
    #expect(wrong.code == 2 && wrong.errorText.contains("Use the name of a source: habitbull"))
    let both = try workplace.eventlog(
      "import", "ada.jsonl", "h.csv", "--undo", "habitbull", "--map", "habitbull")
    #expect(both.code == 2)
  }
}
