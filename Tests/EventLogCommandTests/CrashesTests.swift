import EventLog
import EventLogCrashReports
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// `eventlog crashes`, with exported reports and with those of a program that really crashed.
@Suite struct CrashesTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
  }

  private func crashes(_ arguments: String...) throws -> Workplace.Run {
    try workplace.eventlog(["crashes"] + arguments)
  }

  @Test func `exported reports are grouped with counts and a trend`() throws {
    let run = try crashes("SampleLogs/crashes.json")
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errorText)")
    #expect(run.text.hasPrefix("15 reports in 4 groups, from 2026-11-11 to 2026-11-23\n"))
    let json = try crashes("SampleLogs/crashes.json", "--json")
    guard case .object(let object) = try JSONValue(parsing: json.output),
      case .array(let groups)? = object["groups"], case .array(let reports)? = object["reports"]
    else {
      Issue.record("\(json.text)")
      return
    }
    #expect(groups.count == 4 && reports.count == 15)
    #expect(reports.compactMap(CrashReport.init(json:)).count == 15)
  }

  @Test func `a file with something else is not written over`() throws {
    try workplace.follow(
      """
      $ cp SampleLogs/crashes.json c.json; ln -s c.json link.json
      $ eventlog append a.jsonl --user ada habit.created read name=Read > id
      $ eventlog append ben --user ben habit.created read name=Read > id; cat *.json* ben > before
      $ for outputs in "--html a.jsonl" "--export ben" "--html c.json" "--export link.json" \\
      >   "--export d.json --html ./d.json"
      > do eventlog crashes c.json $outputs 2>&1 | head -1; done
      Error: "a.jsonl" is a journal. Nothing was written.
      Error: "ben" is a journal. Nothing was written.
      Error: "c.json" is also read or written by this command. Nothing was written.
      Error: "link.json" is also read or written by this command. Nothing was written.
      Error: "./d.json" is also read or written by this command. Nothing was written.
      $ cat *.json* ben | cmp - before; eventlog crashes c.json --export d.json
      Wrote 15 reports to d.json. The file shows every byte that leaves.
      $ eventlog crashes c.json --export d.json | cut -c 1-16
      Wrote 15 reports
      """)
  }

  @Test func `one report is printed in full, by the start of its ID`() throws {
    let groups = try crashes("SampleLogs/crashes.json").text
    let line = try #require(groups.split(separator: "\n").first { $0.hasPrefix("  latest") })
    let id = String(try #require(line.split(separator: " ").last))
    let run = try crashes("SampleLogs/crashes.json", "--report", String(id.prefix(8)))
    #expect(run.code == 0)
    for word in [id, "1.4.2", "opened, edited, saved", "GiB", "2a7c687a+0x4f21"] {
      #expect(run.text.contains(word), "\(word)\n\(run.text)")
    }
    let none = try crashes("SampleLogs/crashes.json", "--report", "x")
    #expect(none.code == 2 && none.errorText.contains("There is no report"))
    let several = try crashes("SampleLogs/crashes.json", "--report", "")
    #expect(several.code == 2 && several.errorText.contains("15 reports"))
  }

  @Test func `the page has no scripts, loads nothing, and escapes every text`() throws {
    let run = try crashes("SampleLogs/crashes.json", "--html", "page.html")
    #expect(run.code == 0, "\(run.errorText)")
    let page = try String(contentsOfFile: workplace.file("page.html"), encoding: .utf8)
    for word in ["<script", "http:", "https:", "url(", "src=", "@import"] {
      #expect(!page.contains(word), "\(word)")
    }
    for word in ["<meta name=\"viewport\"", "prefers-color-scheme: dark", "15 reports", "SIGSEGV"] {
      #expect(page.contains(word), "\(word)")
    }
    #expect(page.components(separatedBy: "<details").count == 5)
    #expect(page.components(separatedBy: "</details>").count == 5)
  }

  @Test(.enabled(if: Machine.hasBrowser, "chromium isn't installed"))
  func `a browser shows the page on wide and narrow screens without a complaint`() throws {
    #expect(try crashes("SampleLogs/crashes.json", "--html", "page.html").code == 0)
    for width in [360, 1200] {
      let run = try workplace.shell(
        """
        chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr \
          --user-data-dir=browser --window-size=\(width),900 --screenshot=page.png \
          --virtual-time-budget=1000 "file://$PWD/page.html"
        """)
      #expect(run.code == 0, "\(run.errorText)")
      #expect(!run.errorText.contains("CONSOLE"), "\(run.errorText)")
      let image = try Data(contentsOf: URL(fileURLWithPath: workplace.file("page.png")))
      #expect(image.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]) && image.count > 10_000)
    }
  }

  @Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\u{202E}reversed", "\\u202ereversed"), ("a\"'&b", "a&quot;&#39;&amp;b"),
    (String(repeating: "N", count: 10_240), String(repeating: "N", count: 10_240)),
  ])
  func `a page shows hostile names of functions as text`(name: String, shown: String) throws {
    let identifier: [UInt8] = [
      0x2A, 0x7C, 0x68, 0x7A, 0x1D, 0x6E, 0x16, 0x94, 0x25, 0x33, 0xF8, 0x0D, 0xB7, 0x18, 0xB5,
      0x28, 0xA6, 0x1E, 0xEB, 0xAE,
    ]
    #expect(try workplace.shell("mkdir programs bin").code == 0)
    try workplace.write("programs/app", Self.program(identifier))
    try workplace.write(
      "symbol.json",
      JSONValue.object(["Symbol": .array([.object(["FunctionName": .string(name)])])]).text)
    try workplace.write(
      "bin/llvm-symbolizer",
      """
      #!/bin/sh
      printf '['
      for word do
        case $word in 0x*) printf '%s' "$comma"; cat symbol.json; comma=, ;; esac
      done
      printf ']'

      """)
    let run = try workplace.shell(
      """
      chmod +x bin/llvm-symbolizer && PATH="$PWD/bin:$PATH" \
        eventlog crashes SampleLogs/crashes.json --symbols programs --html page.html
      """)
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errorText)")
    let page = try String(contentsOfFile: workplace.file("page.html"), encoding: .utf8)
    #expect(page.contains("<li><code>\(shown)</code></li>"))
    for word in ["<script", "\u{202E}"] { #expect(!page.contains(word)) }
  }

  /// The start of an ELF file with only a build ID.
  private static func program(_ identifier: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let note =
      number(4, 4) + number(identifier.count, 4) + number(3, 4) + Array("GNU\0".utf8) + identifier
    let header =
      number(4, 4) + number(4, 4) + number(120, 8) + number(0, 16) + number(note.count, 8)
    return [0x7F, 0x45, 0x4C, 0x46, 2, 1] + number(0, 26) + number(64, 8) + number(0, 14)
      + number(56, 2) + number(1, 2) + number(0, 6) + header + number(0, 16) + note
  }

  @Test func `a severity is counted in a group only if there are several`() throws {
    #expect(try crashes("SampleLogs/crashes.json", "--html", "page.html").code == 0)
    let page = try String(contentsOfFile: workplace.file("page.html"), encoding: .utf8)
    #expect(page.components(separatedBy: "<figcaption>Severity").count == 2)
  }

  @Test func `an exported copy is read as the original`() throws {
    #expect(try crashes("SampleLogs/crashes.json", "--export", "copy.json").code == 0)
    #expect(try workplace.shell("cmp SampleLogs/crashes.json copy.json").code == 0)
    let both = try crashes("SampleLogs/crashes.json", "copy.json")
    #expect(both.text.hasPrefix("15 reports"))
  }

  @Test(arguments: [
    (["nowhere.json"], "There is nothing at"), ([], "needs a place with reports"),
    (["SampleLogs/seeds.json"], "contains no exported crash reports"),
    (["SampleLogs"], "is not a shared folder"),
    (["SampleLogs/crashes.json", "--symbols", "nowhere"], "is no folder with programs"),
    (["SampleLogs/crashes.json", "--html", "nowhere/page.html"], "Could not write"),
    (["SampleLogs/ada.jsonl"], ""),
  ])
  func `other input is refused, or has no reports`(arguments: [String], message: String) throws {
    let run = try workplace.eventlog(["crashes"] + arguments)
    #expect(run.code == (message.isEmpty ? 0 : 2), "\(run.errorText)")
    #expect(message.isEmpty ? run.text == "No crash reports.\n" : run.errorText.contains(message))
    #expect(!run.isSignalled)
  }

  @Test func `a changed text of an exported file is refused or left out`() throws {
    let text = try String(
      contentsOfFile: workplace.file("SampleLogs/crashes.json"), encoding: .utf8)
    for (old, new, code) in [
      ("\"kind\":\"crash\"", "\"kind\":\"<b>\"", 2), ("\"version\":1", "\"version\":2", 2),
      ("\"app\":\"1.4.2\"", "\"app\":\"<script>\"", 0), ("+0x4f21", "+0xzz", 2),
    ] {
      try workplace.write("changed.json", text.replacingOccurrences(of: old, with: new))
      let run = try crashes("changed.json", "--html", "page.html")
      #expect(run.code == code, "\(run.errorText)")
      guard code == 0 else { continue }
      let page = try String(contentsOfFile: workplace.file("page.html"), encoding: .utf8)
      #expect(!page.contains("<script"))
    }
  }

  @Test func `objects that other programs add hide and replace no report`() throws {
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: workplace.file("SampleLogs/crashes.json")))
    let reports = try #require(
      try CrashReportFile.reports(in: Array(bytes), at: "crashes.json"))
    let forged = try #require(
      CrashReport(
        json: try JSONValue(
          parsing: Array(reports[0].json.text.replacing("1.4.2", with: "6.6.6").utf8))))
    try FileManager.default.createDirectory(
      atPath: workplace.file("reports"), withIntermediateDirectories: true)
    func put(_ name: String, _ bytes: [UInt8]) throws {
      try workplace.write("reports/\(name).json", bytes)
    }
    try put(reports[0].id, CrashReportFile.bytes(of: [reports[0]]))
    try put(reports[1].id, CrashReportFile.bytes(of: [reports[1]]))
    let digits = (0..<6).map { String(repeating: "\($0)", count: 32) }
    // Under another name, two at once, damaged, of another kind, and too large.
    try put(digits[0], CrashReportFile.bytes(of: [forged]))
    try put(digits[1], CrashReportFile.bytes(of: [reports[2], reports[3]]))
    try put(
      digits[2], Array(#"{"format":"eventlog-crash-reports","version":1,"reports":[1]}"#.utf8))
    try put(digits[3], Array("<script>".utf8))
    try put(digits[4], [UInt8](repeating: 0x20, count: 1 << 17))
    let last = String(repeating: "a", count: 32)
    let script = "mkfifo reports/\(digits[5]).json; ln -s /dev/zero reports/\(last).json"
    #expect(try workplace.shell(script).code == 0)
    let run = try crashes("reports")
    #expect(run.code == 0, "\(run.errorText)")
    #expect(run.text.hasPrefix("2 reports") && !run.text.contains("6.6.6"), "\(run.text)")
    #expect(run.errorText.contains("contains 7 objects that aren't the report of the name"))
  }

  @Test func `an unreadable, a later and a missing object are told apart`() throws {
    #expect(try workplace.shell("mkdir reports").code == 0)
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: workplace.file("SampleLogs/crashes.json")))
    let reports = try #require(
      try CrashReportFile.reports(in: Array(bytes), at: "crashes.json"))
    try workplace.write("reports/\(reports[0].id).json", CrashReportFile.bytes(of: [reports[0]]))
    let names = (0..<4).map { String(repeating: "\($0)", count: 32) + ".json" }
    let later = #"{"format":"eventlog-crash-reports","version":2,"reports":{}}"#
    try workplace.write("reports/\(names[0])", Array(later.utf8))
    try workplace.write("reports/\(names[1])", Array("<script>".utf8))
    // As if another process removed it after the folder was listed.
    #expect(try workplace.shell("ln -s nothing reports/\(names[2])").code == 0)
    let run = try crashes("reports")
    #expect(run.code == 0 && run.text.hasPrefix("1 report in 1 group"), "\(run.errorText)")
    #expect(run.errorText.contains("contains 1 object that isn't the report of the name"))
    #expect(run.errorText.contains("1 report of a later version of Eventlog, which was left out."))
    #expect(run.errorText.contains("Update eventlog."))
    // A link to itself can't be read, even by root.
    #expect(try workplace.shell("ln -s \(names[3]) reports/\(names[3])").code == 0)
    let failed = try crashes("reports")
    #expect(failed.code == 2 && failed.errorText.contains("Could not read"), "\(failed.text)")
  }

  @Test func `a link stays, and its target is replaced at once`() throws {
    let run = try workplace.shell(
      """
      echo old > old.json && ln old.json same.json && ln -s old.json link.json &&
        eventlog crashes SampleLogs/crashes.json --export link.json > /dev/null &&
        test -L link.json && cmp SampleLogs/crashes.json old.json && cat same.json
      """)
    #expect(run.code == 0 && run.text == "old\n", "\(run.text) \(run.errorText)")
    #expect(try workplace.shell("ln -s nothing lost.json && ln -s . folder.json").code == 0)
    for name in ["lost.json", "folder.json", "."] {
      let refused = try crashes("SampleLogs/crashes.json", "--export", name)
      #expect(refused.code == 2 && refused.errorText.contains("Could not write"), "\(name)")
    }
    #expect(try workplace.shell("test -L lost.json && ! test -e nothing").code == 0)
  }

  @Test func `a pipe gets all bytes, whether its reader or its writer opens it first`() throws {
    let run = try workplace.shell(
      """
      mkfifo pipe
      { cat pipe > first.json & } &&
        eventlog crashes SampleLogs/crashes.json --export pipe && wait && test -p pipe &&
        cmp SampleLogs/crashes.json first.json &&
        { eventlog crashes SampleLogs/crashes.json --export pipe & } &&
        cat pipe > second.json && wait && cmp SampleLogs/crashes.json second.json
      """)
    #expect(run.code == 0, "\(run.text) \(run.errorText)")
  }

  @Test func `an open stream is appended to, with nothing else`() throws {
    let run = try workplace.shell(
      """
      echo old > log && eventlog crashes SampleLogs/crashes.json --export /dev/stdout >> log &&
        { echo old && cat SampleLogs/crashes.json; } | cmp - log &&
        eventlog crashes SampleLogs/crashes.json --export /dev/fd/3 3>> log &&
        { echo old && cat SampleLogs/crashes.json SampleLogs/crashes.json; } | cmp - log
      """)
    #expect(run.code == 0 && run.text.isEmpty, "\(run.text) \(run.errorText)")
  }

  @Test func `an empty folder has no reports, and the hint names what has`() throws {
    #expect(try workplace.shell("mkdir nothing").code == 0)
    let run = try crashes("nothing")
    #expect(run.code == 2 && run.errorText.contains("contains no crash reports"))
    #expect(run.errorText.contains("begins with crash-"))
  }

  @Test func `a folder of programs with links back to it is searched once`() throws {
    #expect(
      try workplace.shell(
        "mkdir -p loop/a && for name in b c d e; do ln -s .. loop/a/$name; done"
      ).code == 0)
    let run = try crashes("SampleLogs/crashes.json", "--symbols", "loop")
    #expect(run.code == 0 && run.errorText.contains("no program in loop"))
  }

  @Test(.enabled(if: BuiltProduct.crasher != nil && !BuiltProduct.isSanitized))
  func `the reports of a folder and of a shared place have the names of functions`() async throws {
    let crasher = try #require(BuiltProduct.crasher)
    let folder = workplace.file("crashes")
    for way in ["null", "null", "division"] {
      let run = try workplace.shell(
        "SWIFT_BACKTRACE=enable=no '\(crasher)' \(way) '\(folder)' secret > /dev/null 2>&1; true")
      #expect(run.code == 0)
    }
    let waiting = try crashes("crashes")
    #expect(waiting.errorText.contains("3 recordings"))
    let journal = try await CrashJournal.open(in: folder)
    #expect(try await journal.takeIn().reports.count == 3)
    try await journal.setConsent(.given, for: .person)
    let shared = workplace.file("Shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    #expect(try await journal.sync { FolderRemote(path: "\(shared)/\($0)") } == 3)
    try await journal.close()

    try FileManager.default.createDirectory(
      atPath: workplace.file("programs"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: workplace.file("programs/app"), withDestinationPath: crasher)
    try FileManager.default.createDirectory(
      atPath: workplace.file("tmp"), withIntermediateDirectories: true)
    for place in ["crashes", "Shared"] {
      let run = try workplace.shell(
        "eventlog crashes \(place) --symbols programs",
        environment: ["TMPDIR": workplace.file("tmp")])
      #expect(run.code == 0, "\(run.errorText)")
      #expect(run.text.hasPrefix("3 reports in 2 groups"), "\(run.text)")
      if run.errorText.contains("neither llvm-symbolizer") { continue }
      #expect(run.text.contains("crasher_null (CEventLogCrasher.c:"), "\(run.text)")
      #expect(run.text.contains("crasher_divide"), "\(run.text)")
    }
    // A place of one user, by its own name.
    let part = try #require(try FileManager.default.contentsOfDirectory(atPath: shared).first)
    #expect(try crashes("Shared/\(part)").text.hasPrefix("3 reports"))
    // An object of another program doesn't hide them.
    try workplace.write(
      "Shared/\(part)/\(String(repeating: "0", count: 32)).json", Array("<script>".utf8))
    let beside = try crashes("Shared/\(part)")
    #expect(beside.code == 0 && beside.text.hasPrefix("3 reports"), "\(beside.errorText)")
    #expect(beside.errorText.contains("contains 1 object that isn't the report of the name"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: workplace.file("tmp")) == [])
  }
}
