import EventLog
import Foundation
import Testing

/// Copies and earlier states of a journal's files, made with common tools.
@Suite struct CloneTests {
  private let workplace: Workplace

  /// Makes a journal with three events of a phone, and `old` with its files after two of them.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device phone settings.changed theme=sepia > id
      $ mkdir old && cp -a ada.jsonl ada.eventlog old
      $ eventlog append ada.jsonl settings.changed theme=dark > id
      $ eventlog sync elsewhere.jsonl ada.jsonl > out 2>&1
      """)
  }

  /// Expects that no event ID occurs with two different lines in all journals, and that all are
  /// sound.
  private func expectUniqueEventIDs(at location: SourceLocation = #_sourceLocation) throws {
    let run = try workplace.shell(
      "cat *.jsonl | sort -u | grep -o '\"id\":\"[^\"]*\"' | sort | uniq -d")
    #expect(run.text.isEmpty, sourceLocation: location)
    #expect(
      try workplace.shell("eventlog verify *.jsonl > out").code == 0, sourceLocation: location)
  }

  private static let copy = "The journal is a copy, or was restored from one"
  private static let rolledBack =
    "The journal was rolled back to an earlier state, or its end was cut off"

  /// Each command restores the old state, and each reason is part of the note.
  @Test(arguments: [
    ("cp ada.jsonl copy.jsonl && mv copy.jsonl ada.jsonl", copy),
    ("rm -r ada.jsonl ada.eventlog && cp -a old/ada.jsonl old/ada.eventlog .", copy),
    ("cat old/ada.jsonl > ada.jsonl", rolledBack),
    ("rsync --inplace old/ada.jsonl ada.jsonl || cp old/ada.jsonl ada.jsonl", rolledBack),
  ])
  func `a journal restored to an earlier state writes under a new ID, with a note`(
    command: String, reason: String
  ) throws {
    _ = try workplace.shell(command)
    let sentence = "Note: \(reason), so from now on it writes under a new device ID.\n"
    // The note also appears before any write.
    let notes = try workplace.eventlog("status", "ada.jsonl").errorText
    #expect(notes.hasPrefix(sentence))
    // Another file may never have contained later events.
    let isMissed = notes.dropFirst(sentence.count).contains(
      "is missing here: the file contained it")
    #expect(isMissed == (reason == Self.rolledBack))
    let status = try workplace.eventlog("status", "ada.jsonl", "--json").text
    #expect(status.contains("\"device\":null"))
    let run = try workplace.eventlog("append", "ada.jsonl", "settings.changed", "theme=light")
    #expect(run.code == 0 && run.errorText.hasPrefix(sentence))
    // Missing events are reported until they are back or their loss is accepted.
    for later in [
      run, try workplace.eventlog("append", "ada.jsonl", "settings.changed", "a=1"),
      try workplace.eventlog("status", "ada.jsonl"),
    ] {
      #expect(later.errorText.contains(" missing here") == (reason == Self.rolledBack))
    }
    let synced = try workplace.eventlog("sync", "ada.jsonl", "elsewhere.jsonl")
    #expect(!synced.errorText.contains("was copied or restored after"))
    try expectUniqueEventIDs()
  }

  /// Restores the old bytes of both files in place, which leaves no trace.
  private func rollBackUnseen() throws {
    try workplace.follow(
      """
      $ cat old/ada.jsonl > ada.jsonl; rm -rf ada.eventlog/cache
      $ cat old/ada.eventlog/device.json > ada.eventlog/device.json
      $ eventlog status ada.jsonl > out
      """)
  }

  private static let lacking =
    "The journal was missing events of its own device (it was rolled back, or a copy of it was"
    + " used), so from now on it writes under a new device ID.\n"

  @Test(arguments: [
    ("sync ada.jsonl elsewhere.jsonl --push", "Note: " + lacking),
    ("diff elsewhere.jsonl ada.jsonl", "Note: ada.jsonl: " + lacking),
  ])
  func `a sync or diff detects a rollback that left no trace`(
    arguments: String, sentence: String
  ) throws {
    try rollBackUnseen()
    #expect(
      try workplace.eventlog(arguments.split(separator: " ").map(String.init)).errorText == sentence
    )
    let run = try workplace.eventlog("append", "ada.jsonl", "settings.changed", "theme=light")
    #expect(run.errorText == "Note: " + Self.lacking)
    #expect(try workplace.eventlog("sync", "ada.jsonl", "elsewhere.jsonl").code == 0)
    try expectUniqueEventIDs()
  }

  @Test(arguments: ["", " --pull"])
  func `a sync from another journal reports the rollback of its remote`(option: String) throws {
    try rollBackUnseen()
    let run = try workplace.shell("eventlog sync elsewhere.jsonl ada.jsonl\(option)")
    #expect(run.errorText.hasPrefix("Note: The other journal was missing events of its own device"))
    let append = try workplace.eventlog("append", "ada.jsonl", "settings.changed", "theme=light")
    #expect(append.errorText == "Note: " + Self.lacking)
    try expectUniqueEventIDs()
  }

  @Test func `a planned sync reports a rollback and changes nothing`() throws {
    try rollBackUnseen()
    let before = try workplace.read("ada.eventlog/device.json")
    let run = try workplace.eventlog("sync", "ada.jsonl", "elsewhere.jsonl", "--plan")
    #expect(
      run.errorText
        == "Note: "
        + Self.lacking.replacing(
          "from now on it writes under a new device ID",
          with: "a sync would make it write under a new device ID"))
    #expect(try workplace.read("ada.eventlog/device.json") == before)
  }

  @Test func `an undetectable fork is reported once and each copy writes under a new ID`() throws {
    try rollBackUnseen()
    // The rolled-back journal appends before any comparison.
    try workplace.follow(
      """
      $ eventlog append ada.jsonl settings.changed theme=light > id
      $ mkdir Shared && eventlog sync ada.jsonl Shared > out
      $ eventlog sync elsewhere.jsonl Shared 2>&1 > out | sed 's/-[a-z2-7]*//g'
      Note: phone was copied or restored after phone:2, and both copies kept writing under its \
      ID. Both histories count, and each copy continues under a new ID.
      $ eventlog sync ada.jsonl Shared 2>&1 > out | sed 's/-[a-z2-7]*//g'
      Note: phone was copied or restored after phone:2, and both copies kept writing under its \
      ID. Both histories count, and each copy continues under a new ID.
      $ eventlog sync ada.jsonl Shared
      ada.jsonl and Shared contain the same events.
      $ eventlog status ada.jsonl 2>&1 > out | grep -c 'was copied or restored after'
      1
      $ eventlog append ada.jsonl settings.changed theme=grey 2> err | grep -c ':2$'
      1
      $ eventlog verify ada.jsonl elsewhere.jsonl > out
      """)
  }

  @Test func `an ambiguous short ID is refused and a full ID accepted`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ clone a b
      $ eventlog append a.jsonl habit.edited read name=Left > a; eventlog append b.jsonl \
      habit.edited read name=Right > b; eventlog sync a.jsonl b.jsonl > out 2> err
      """)
    let status = try workplace.eventlog("status", "a.jsonl", "--json")
    guard case .object(let object) = try JSONValue(parsing: status.output),
      case .array(let tips)? = object["frontier"], tips.count == 2,
      case .string(let first) = tips[0], case .string(let second) = tips[1]
    else {
      Issue.record("no two tips: \(status.text)")
      return
    }
    #expect(FullEventID(first) != nil && first < second)
    let short = String(first.prefix { $0 != "~" })
    let device = String(first.prefix { $0 != ":" })
    // As the value of `--at`.
    let refused = try workplace.eventlog("project", "a.jsonl", "--at", short)
    #expect(refused.code == 2)
    #expect(refused.errorText.contains("\(short) refers to 2 events in a.jsonl"))
    #expect(refused.errorText.contains("Hint: Use one of \(first), \(second)."))
    for option in ["--at", "--as"] {
      for tip in [first, second] {
        let run = try workplace.eventlog("project", "a.jsonl", "--json", option, tip)
        #expect(run.text.contains("\"frontier\":[\"\(tip)\"]"), "\(run.text)\(run.errorText)")
        #expect(run.text.contains("\"eventCount\":3"))
      }
    }
    let whole = try workplace.eventlog("project", "a.jsonl", "--json", "--as", device)
    #expect(whole.text.contains("\"frontier\":[\"\(first)\",\"\(second)\"]"))
    // As a candidate. If a short ID is ambiguous, only full IDs are printed.
    let conflicts = try workplace.eventlog("conflicts", "a.jsonl").text
    #expect(conflicts.contains("--take \(first) --over \(second)"))
    #expect(try workplace.eventlog("replay", "a.jsonl").text.contains("  \(first)  habit.edited"))
    let id = "habit/read#name"
    let choice = try workplace.eventlog("resolve", "a.jsonl", id, "--take", short)
    #expect(choice.code == 2 && choice.errorText.contains("\(short) refers to 2 candidates"))
    #expect(choice.errorText.contains(first) && choice.errorText.contains(second))
    #expect(
      try workplace.eventlog("resolve", "a.jsonl", id, "--take", first, "--over", second).code == 0)
    #expect(try workplace.eventlog("conflicts", "a.jsonl", "--check").code == 0)
  }
}
