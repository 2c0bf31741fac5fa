import EventLog
import EventLogTesting
import Foundation
import Testing

@testable import EventLogCrashReports

/// Real crashes of a real program. `EVENTLOG_CRASHES=100` repeats each of them a hundred times.
@Suite(.enabled(if: Crasher.path != nil && !Crasher.isSanitized, "EventLogCrasher isn't built"))
struct CrasherTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["EVENTLOG_CRASHES"].flatMap(Int.init) ?? 2

  /// A way to crash, and what a report of it contains.
  struct Expectation: Sendable, CustomTestStringConvertible {
    let way: String
    let signal: CrashReport.Signal
    var fault: CrashReport.Fault?
    /// A function among the first frames.
    var function: String?
    var isMainThread: Bool? = true

    var testDescription: String { way }
  }

  static let expectations = [
    Expectation(way: "null", signal: .segmentation, fault: .null, function: "crasher_null"),
    Expectation(
      way: "overflow", signal: .segmentation, fault: .stack, function: "crasher_overflow"),
    Expectation(way: "abort", signal: .aborted, fault: .sent, function: "crasher_abort"),
    Expectation(way: "trap", signal: .illegal, function: nil),
    // The C library's `raise` has no frame, and hides its caller.
    Expectation(way: "breakpoint", signal: .trap, fault: .sent),
    Expectation(
      way: "thread", signal: .segmentation, fault: .null, function: "crasher_null",
      isMainThread: false),
    Expectation(
      way: "threadOverflow", signal: .segmentation, fault: .stack, function: "crasher_overflow",
      isMainThread: false),
    Expectation(
      way: "threads", signal: .segmentation, fault: .null, function: "crasher_null",
      isMainThread: false),
    Expectation(way: "handler", signal: .segmentation, fault: .null, function: "crasher_null"),
    Expectation(way: "division", signal: .arithmetic, function: "crasher_divide"),
    Expectation(way: "bus", signal: .bus, fault: .other, function: "crasher_bus"),
    Expectation(way: "illegal", signal: .illegal, function: "crasher_illegal"),
    Expectation(way: "jump", signal: .segmentation, fault: .null, function: "crasher_jump"),
    Expectation(way: "memory", signal: .illegal, function: nil),
    Expectation(way: "sent", signal: .segmentation, fault: .sent),
  ]

  @Test(arguments: CrasherTests.expectations)
  func `a crash is reported once, and the process ends with its signal`(
    _ expected: Expectation
  ) async throws {
    for _ in 0..<Self.rounds {
      let folder = try TemporaryFolder()
      // A path with the secret.
      let path = folder.file("of \(Crasher.secret)")
      let ending = try Crasher.run(expected.way, in: path)
      let signal = try #require(ending.signal, "\(ending)")
      let journal = try await CrashJournal.open(in: path, options: .repeatable())
      let intake = try await journal.takeIn()
      #expect(intake.notes == [])
      let report = try #require(intake.reports.first)
      #expect(intake.reports.count == 1)
      #expect(report.signal == CrashReport.Signal(number: UInt8(signal)))
      if expected.way != "memory" { #expect(report.signal == expected.signal) }
      if let fault = expected.fault { #expect(report.fault == fault) }
      #expect(report.isMainThread == expected.isMainThread)
      #expect(report.app == "1.4.2")
      #expect(report.system != nil && report.device != nil && report.memory != nil)
      #expect(report.severity == .fatal && !report.hasFailedHandler)
      #expect(report.breadcrumbs == Array(repeating: "saved", count: 19) + ["crashing"])
      #expect(report.frames.contains { $0 != nil })
      if let function = expected.function {
        let functions = try Crasher.functions(report.frames)
        #expect(functions.prefix(6).contains(function), "\(functions.prefix(8))")
      }
      try await journal.close()
      try expectNoSecret(in: path, report)
      let again = try await CrashJournal.open(in: path, options: .repeatable())
      #expect(try await again.takeIn() == CrashIntake())
      #expect(await again.reports == [report])
      try await again.close()
    }
  }

  @Test func `a stack that is too deep for a report is cut`() async throws {
    let (report, _) = try await self.report(of: "overflow")
    #expect(report.frames.count == RawLayout.framesMax && report.isCut)
  }

  @Test func `a failing handler leaves a report without frames and ends the process`()
    async throws
  {
    let (report, ending) = try await self.report(of: "failingHandler")
    #expect(ending.signal == SIGABRT)
    #expect(report.signal == .aborted && report.hasFailedHandler && report.frames.isEmpty)
  }

  @Test func `a process that is killed in its handler leaves a report without frames`()
    async throws
  {
    let (report, ending) = try await self.report(of: "killedHandler")
    #expect(ending.signal == SIGKILL)
    #expect(report.signal == .aborted && !report.hasFailedHandler && report.frames.isEmpty)
  }

  @Test(arguments: ["recovered", "recoveredOften", "jumped", "breakpointPassed"])
  func `a crash that an earlier handler recovers from leaves nothing`(_ way: String) async throws {
    for _ in 0..<Self.rounds {
      let folder = try TemporaryFolder()
      let path = folder.file("crashes")
      let ending = try Crasher.run(way, in: path)
      #expect(ending.code == 0 && ending.output.contains("ended"), "\(ending)")
      let journal = try await CrashJournal.open(in: path, options: .repeatable())
      #expect(try await journal.takeIn() == CrashIntake())
      try await journal.close()
    }
  }

  @Test func `a crash after one that was recovered from is reported`() async throws {
    let (report, ending) = try await self.report(of: "recoveredThenNull")
    #expect(ending.signal == SIGSEGV && report.fault == .null)
    let functions = try Crasher.functions(report.frames)
    #expect(functions.prefix(6).contains("crasher_null"), "\(functions.prefix(8))")
  }

  @Test func `a crash after a thread that jumped out of one has ended is reported`() async throws {
    let (report, ending) = try await self.report(of: "jumpedThenNull")
    #expect(ending.signal == SIGSEGV && report.isMainThread == true)
  }

  @Test(arguments: ["crumbInHandler", "crumbInHandlerOfThread"])
  func `an earlier handler that leaves a breadcrumb does not take the report back`(
    _ way: String
  ) async throws {
    let (report, ending) = try await self.report(of: way)
    #expect(ending.signal == SIGSEGV && report.fault == .null)
    #expect(report.breadcrumbs.last == "crashing")
    let functions = try Crasher.functions(report.frames)
    #expect(functions.prefix(6).contains("crasher_null"), "\(functions.prefix(8))")
  }

  @Test func `a signal that the program ignores is recorded only if an instruction failed`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    #expect(try Crasher.run("ignored", in: path).code == 0)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    #expect(try await journal.takeIn() == CrashIntake())
    try await journal.close()
    let (report, ending) = try await self.report(of: "ignoredThenNull")
    #expect(ending.signal == SIGSEGV && report.fault == .null)
  }

  @Test func `a crash after all files were closed writes into no other file`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    #expect(try Crasher.run("reusedFiles", in: path).signal == SIGSEGV)
    let reused = try #require(FileManager.default.contents(atPath: path + "/reused"))
    #expect(reused.isEmpty)
  }

  @Test func `a crash writes into no other file that got the same node`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    #expect(try Crasher.run("reusedNode", in: path).signal == SIGSEGV)
    let raw = path + "/Raw"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: raw).first)
    let bytes = FileManager.default.contents(atPath: "\(raw)/\(name)")
    #expect(bytes == Data("another file".utf8))
  }

  @Test func `a crash of a child process isn't recorded as its parent's`() async throws {
    let folder = try TemporaryFolder()
    let ending = try Crasher.run("child", in: folder.file("crashes"))
    #expect(ending.code == 0)
    #expect(ending.output.contains("child ended by \(SIGSEGV)"))
    let journal = try await CrashJournal.open(
      in: folder.file("crashes"), options: .repeatable())
    #expect(try await journal.takeIn() == CrashIntake())
    try await journal.close()
  }

  @Test func `errors are recorded by type, and counted after the eighth`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    #expect(try Crasher.run("errors", in: path).code == 0)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    let reports = try await journal.takeIn().reports
    #expect(reports.count == 8)
    #expect(reports.allSatisfy { $0.kind == .error && $0.severity == .warning })
    #expect(reports.allSatisfy { $0.errorType?.contains("Failure") == true })
    #expect(reports.map(\.omittedCount) == [0, 0, 0, 0, 0, 0, 0, 3])
    for report in reports {
      let functions = try Crasher.functions(report.frames)
      #expect(functions.first?.contains("EventLogCrasher") == true, "\(functions)")
      #expect(functions.first?.contains("record") == true, "\(functions)")
      try expectNoSecret(in: path, report)
    }
    try await journal.close()
  }

  @Test func `a run without a crash leaves nothing`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    #expect(try Crasher.run("clean", in: path).code == 0)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    #expect(try await journal.takeIn() == CrashIntake())
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/Raw") == [])
    try await journal.close()
  }

  @Test func `an app that crashes at each start fills 20 files and is counted from then on`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    for _ in 0..<22 { #expect(try Crasher.run("null", in: path).signal == SIGSEGV) }
    let raw = path + "/Raw"
    let files = try FileManager.default.contentsOfDirectory(atPath: raw)
    #expect(files.filter { $0.hasSuffix(".crash") }.count == 20)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    let intake = try await journal.takeIn()
    #expect(intake.reports.count == 20)
    #expect(intake.notes.count == 1 && intake.notes[0].hasPrefix("2 starts of the app"))
    #expect(try await journal.takeIn() == CrashIntake())
    try await journal.close()
  }

  @Test(.enabled(if: Crasher.mounts, "no file system can be mounted here"))
  func `a crash on a full disk is recorded`() async throws {
    for _ in 0..<Self.rounds {
      let folder = try TemporaryFolder()
      let (disk, copy) = (folder.file("disk"), folder.file("copy"))
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      try Crasher.mounting(
        """
        mount -t tmpfs -o size=300k none '\(disk)'
        '\(Crasher.path ?? "")' full '\(disk)/crashes' \(Crasher.secret)
        test $? = \(128 + SIGSEGV) && test $(df '\(disk)' | awk 'NR == 2 { print $4 }') = 0
        echo $? > '\(folder.file("result"))'
        cp -r '\(disk)/crashes' '\(copy)'
        """)
      #expect(try String(contentsOfFile: folder.file("result"), encoding: .utf8) == "0\n")
      let journal = try await CrashJournal.open(in: copy, options: .repeatable())
      let intake = try await journal.takeIn()
      #expect(intake.notes == [] && intake.reports.count == 1)
      #expect(intake.reports.first?.signal == .segmentation)
      #expect(intake.reports.first?.frames.isEmpty == false)
      try await journal.close()
    }
  }

  @Test func `the runtime's own backtrace is written as well, after the report`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    let logs = folder.file("Logs")
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    let ending = try Crasher.run(
      "trap", in: path,
      environment: [
        "SWIFT_BACKTRACE": "enable=yes,output-to=\(logs),interactive=no,color=no,warnings=no"
      ])
    #expect(ending.signal == SIGILL)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    let recorded = try #require(try await journal.takeIn().reports.first)
    let written = try await journal.takeIn(backtraces: logs, app: "1.4.2").reports
    #expect(written.count == 1)
    let log = try #require(written.first)
    #expect(log.signal == .illegal && log.app == "1.4.2")
    // Both name the place of the failed instruction alike.
    #expect(log.frames.first == recorded.frames.first)
    #expect(try FileManager.default.contentsOfDirectory(atPath: logs) == [])
    try expectNoSecret(in: path, log)
    try await journal.close()
  }

  // MARK: - Helpers

  private func report(of way: String) async throws -> (CrashReport, Crasher.Ending) {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    let ending = try Crasher.run(way, in: path)
    let journal = try await CrashJournal.open(in: path, options: .repeatable())
    let reports = try await journal.takeIn().reports
    try await journal.close()
    #expect(reports.count == 1)
    return (try #require(reports.first), ending)
  }

  /// Checks that neither the report nor any file of the folder contains the secret, the name of
  /// the host, or a path.
  private func expectNoSecret(in folder: String, _ report: CrashReport) throws {
    let forbidden = [Crasher.secret, ProcessInfo.processInfo.hostName, NSUserName() + "/"]
    var texts = [Array(report.json.text.utf8)]
    let files = try #require(FileManager.default.enumerator(atPath: folder))
    for case let name as String in files {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
      // The record of the device names the machine, and never leaves it.
      if name.hasSuffix("device.json") { continue }
      texts.append(Array(data))
    }
    for text in texts {
      for word in forbidden where word.utf8.count > 4 {
        #expect(!text.containsBytes(of: word), "\(word)")
      }
    }
  }
}
