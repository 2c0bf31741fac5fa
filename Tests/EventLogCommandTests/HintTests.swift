import EventLog
import Foundation
import Testing

@testable import EventLogCommand

/// Each command that a message suggests is run in the same situation, and must help.
@Suite struct HintTests {
  /// `$J` is a journal with one habit, `$C` a copy with an event of another device, and `$O` a copy
  /// of that without changes.
  private static let base = """
    eventlog append "$J" --user ada --device phone habit.created read name=Read
    eventlog sync "$C" "$J"; eventlog sync "$C" "$J" --forget
    eventlog append "$C" --device tablet settings.changed theme=dark
    eventlog sync "$O" "$C"; eventlog sync "$O" "$C" --forget
    """

  /// A folder with the base for each set of names, which is copied because that is faster than
  /// creating it for each scenario.
  private static let made = Result {
    let workplace = try Workplace()
    for names in names {
      let run = try workplace.shell("set -e\n\(base)", merging: true, environment: names)
      try #require(run.code == 0, "\(run.text)")
    }
    return workplace
  }

  /// Copies the base so that it isn't recognized as a copy, or creates it if `stat` isn't GNU's.
  private static let copying = """
    if stat -c %i . > /dev/null 2>&1; then
      for name in "${J%.jsonl}" "${C%.jsonl}"; do clone "$MADE/$name" "$name"; done
      cp -a "$MADE/$O" "$O"; cp -a "$MADE/${O%.jsonl}.eventlog" "${O%.jsonl}.eventlog"
    else
    \(base)
    fi
    """

  /// Names that need quotes, and names that look like options.
  private static let names: [[String: String]] = [
    ["J": "my ada.jsonl", "C": "a copy.jsonl", "O": "it's an other.jsonl", "F": "a $folder"],
    ["J": "./-j.jsonl", "C": "./-c.jsonl", "O": "./--other.jsonl", "F": "./-oProxyCommand=x"],
  ]

  @Test(arguments: HintScenario.ordinary)
  func `a suggested command helps in its situation`(_ scenario: HintScenario) throws {
    try follow(scenario)
  }

  @Test(.enabled(if: Machine.hasTerminal, "script makes no terminal here"))
  func `a command suggested on a terminal helps`() throws {
    try follow(.onTerminal)
  }

  @Test(.enabled(if: Machine.mounts, "no file system can be mounted here without privileges"))
  func `a command suggested on a read-only disk helps`() throws {
    try follow(.onReadOnlyDisk)
  }

  /// Returns one set of names, alternately, or both if `EVENTLOG_ROUNDS` is at least 1.
  private static func names(of scenario: HintScenario) -> [[String: String]] {
    guard scenario.isAboutFiles else { return [names[0]] }
    let rounds = ProcessInfo.processInfo.environment["EVENTLOG_ROUNDS"].flatMap(Double.init) ?? 0
    if rounds >= 1 { return names }
    let index = HintScenario.all.firstIndex { $0.key == scenario.key } ?? 0
    return [names[index % names.count]]
  }

  private func follow(_ scenario: HintScenario) throws {
    for names in Self.names(of: scenario) {
      let workplace = try Workplace()
      let environment = try workplace.writeOtherMachine().merging(names) { $1 }
        .merging(["MADE": try Self.made.get().path]) { $1 }
      func shell(_ line: String) throws -> Workplace.Run {
        try workplace.shell(line, merging: true, environment: environment)
      }
      /// Runs a line with the scenario's mounts.
      func run(_ line: String) throws -> Workplace.Run {
        guard let mounts = scenario.mounts else { return try shell(line) }
        return try workplace.shell(
          "unshare --user --map-root-user --mount sh -c \"$MOUNTS\"' && eval \"$LINE\"'",
          merging: true, environment: environment.merging(["MOUNTS": mounts, "LINE": line]) { $1 })
      }
      let made = try shell("set -e\n\(Self.copying)\n\(scenario.setup)")
      try #require(made.code == 0, "\(made.text)")
      let printed = String(
        decoding: try run(scenario.command).output.filter { $0 != 0x0D }, as: UTF8.self)
      let lines = printed.components(separatedBy: "\n").filter { $0.contains(scenario.shown) }
      let commands = lines.flatMap(SuggestedCommand.all)
      try #require(!commands.isEmpty, "\(scenario.command) says\n\(printed)")
      for command in commands {
        let line = command.filled(with: scenario.words)
        let answer = try run(line)
        let comment: Comment = "\(line)\nwhich was suggested by\n\(printed)\nsays\n\(answer.text)"
        #expect(!answer.isSignalled, comment)
        switch scenario.outcome {
        case .done: #expect(answer.code == 0, comment)
        case .answered: #expect(answer.code < 2, comment)
        case .noLonger(let complaint): #expect(!answer.text.contains(complaint), comment)
        }
      }
      let check = try shell(scenario.check)
      #expect(check.code == 0, "\(scenario.check)\n\(check.text)")
    }
  }

  @Test func `every command that a message suggests is run by a scenario`() throws {
    let verbs = Verb.all.map(\.name).joined(separator: "|")
    let command = try Regex(
      #"eventlog (?:\#(verbs))\b|eventlog \\\(|"eventlog", "(?:\#(verbs))""#)
    var literals: [String] = []
    for folder in ["Sources/EventLog", "Sources/EventLogCommand"] {
      let root = BuiltProduct.repository.appendingPathComponent(folder)
      let files = try #require(FileManager.default.enumerator(atPath: root.path))
      for case let name as String in files where name.hasSuffix(".swift") {
        let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
        // The regular expression is slow, and few lines contain the word.
        literals += text.split(separator: "\n")
          .filter { Array($0.utf8).containsBytes(of: "eventlog") }
          .map { $0.trimmingCharacters(in: .whitespaces) }
          .filter { !$0.hasPrefix("//") && $0.contains(command) }
      }
    }
    // The tests of the help run its examples.
    literals.removeAll {
      $0.contains("ada.jsonl") || $0.contains("SampleLogs/") || $0.hasPrefix("(\"eventlog ")
    }
    let keys = HintScenario.all.map(\.key) + HintScenario.unrun
    for literal in literals {
      #expect(
        keys.contains { literal.contains($0) }, "Nothing runs what is suggested by \(literal)")
    }
    for key in keys {
      #expect(literals.contains { $0.contains(key) }, "Nothing suggests \(key) any more")
    }
  }

  @Test func `suggested commands are found in a sentence`() {
    for (line, commands) in [
      (
        "Hint: Specify one: eventlog sync 'my a.jsonl' REMOTE",
        ["eventlog sync 'my a.jsonl' REMOTE"]
      ),
      ("  eventlog project a.jsonl foods notes", ["eventlog project a.jsonl foods notes"]),
      (
        "To fetch it: eventlog repair a.jsonl --from OTHER, or eventlog sync a.jsonl OTHER.",
        ["eventlog repair a.jsonl --from OTHER", "eventlog sync a.jsonl OTHER"]
      ),
      ("Hint: eventlog help sync shows its usage.", ["eventlog help sync"]),
      ("Did you mean eventlog append?", ["eventlog append"]),
      ("eventlog keeps a person's data.", []), ("(eventlog types KIND)", ["eventlog types KIND"]),
    ] {
      #expect(SuggestedCommand.all(in: line).map(\.text) == commands)
    }
    let command = SuggestedCommand(text: "eventlog sync JOURNAL HOST:'a b'")
    #expect(
      command.filled(with: ["JOURNAL": "\"$J\"", "HOST": "desk"])
        == "eventlog sync \"$J\" desk:'a b'")
  }
}
