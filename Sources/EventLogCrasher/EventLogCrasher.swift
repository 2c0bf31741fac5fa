// Crashes in the ways that a crash report must survive, for the tests.

import CEventLogCrasher
import EventLog
import EventLogCrashReports

/// `EventLogCrasher WAY FOLDER SECRET` records crashes in a folder, and crashes.
///
/// The secret is also in the process's memory and messages. `EventLogCrasher take FOLDER` takes in
/// the reports and prints them.
@main
enum EventLogCrasher {
  private enum Step: String, Breadcrumb { case opened, saved, crashing }

  private struct Failure: Error { let secret: String }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { return print("usage: EventLogCrasher WAY FOLDER SECRET") }
    let folder = arguments[2]
    if arguments[1] == "take" { return try await take(folder) }
    guard let way = Way(rawValue: arguments[1]), arguments.count > 3 else {
      return print("usage: EventLogCrasher \(Way.allCases.map(\.rawValue).joined(separator: "|"))")
    }
    way.prepare()
    try CrashReports.start(in: folder, app: "1.4.2", breadcrumbs: Step.self)
    // Breadcrumbs beyond the last 20 are forgotten.
    for _ in 0..<30 { CrashReports.leave(Step.saved) }
    CrashReports.leave(Step.crashing)
    // The secret is on the heap and, as an argument, on the stack.
    let secret = [arguments[3], arguments[3] + " again"].joined(separator: " and ")
    way.run(secret: secret, folder: folder)
    print("ended, \(secret.utf8.count)")
  }

  private static func take(_ folder: String) async throws {
    let journal = try await CrashJournal.open(in: folder)
    let intake = try await journal.takeIn()
    for report in intake.reports { print(report.json.text) }
    for note in intake.notes { print("note: \(note)") }
    try await journal.close()
  }

  fileprivate static func leave() { CrashReports.leave(Step.opened) }

  fileprivate static func record(_ secret: String) {
    for _ in 0..<11 { CrashReports.record(Failure(secret: secret), severity: .warning) }
  }
}

/// The ways to crash.
enum Way: String, CaseIterable {
  case null, overflow, abort, trap, breakpoint, thread, threadOverflow, threads, handler, division
  case bus, illegal, jump, memory, full, failingHandler, killedHandler, child, errors, clean
  case recovered, recoveredOften, recoveredThenNull, jumped, jumpedThenNull
  case crumbInHandler, crumbInHandlerOfThread
  case sent, breakpointPassed, ignored, ignoredThenNull, reusedFiles
  case reusedNode

  /// Installs a handler that recovers, before the recorder's.
  func prepare() {
    switch self {
    case .recovered, .recoveredOften, .recoveredThenNull: _ = crasher_install_recovery(0)
    case .jumped, .jumpedThenNull: _ = crasher_install_recovery(1)
    case .crumbInHandler, .crumbInHandlerOfThread: _ = crasher_install_crumb()
    case .breakpointPassed: _ = crasher_install_return()
    case .ignored, .ignoredThenNull: crasher_ignore()
    default: break
    }
  }

  func run(secret: String, folder: String) {
    switch self {
    case .null: _ = crasher_null()
    case .overflow: _ = crasher_overflow(0)
    case .abort: crasher_abort()
    case .trap: fatalError("A message with \(secret)")
    case .breakpoint: crasher_break()
    case .thread: crasher_thread(nil, 0)
    case .threadOverflow: crasher_thread({ try? CrashReports.prepareThread() }, 1)
    case .threads: crasher_threads()
    case .handler: crasher_handler()
    case .division: _ = crasher_divide(0)
    case .bus: _ = crasher_bus(Path.join(folder, "mapped"))
    case .illegal: crasher_illegal()
    case .jump: crasher_jump()
    case .memory: exhaustMemory(secret)
    case .full:
      fillDisk(folder)
      _ = crasher_null()
    case .failingHandler:
      crasher_fail_handler()
      crasher_abort()
    case .killedHandler:
      crasher_kill_handler()
      crasher_abort()
    case .child: print("child ended by \(crasher_child())")
    case .errors: EventLogCrasher.record(secret)
    case .clean: break
    case .recovered: for _ in 0..<3 { _ = crasher_recover() }
    case .recoveredOften: crasher_recover_on_threads()
    case .recoveredThenNull:
      _ = crasher_recover()
      _ = crasher_null()
    case .jumped:
      _ = crasher_jump_out()
      EventLogCrasher.leave()
    case .jumpedThenNull:
      crasher_jump_out_of_thread()
      _ = crasher_null()
    case .crumbInHandler: _ = crasher_null()
    case .crumbInHandlerOfThread: crasher_thread(nil, 0)
    case .sent: crasher_send()
    case .breakpointPassed: crasher_pass_breakpoint()
    case .ignored: crasher_send()
    case .ignoredThenNull:
      crasher_send()
      _ = crasher_null()
    case .reusedFiles:
      _ = crasher_reuse_files(Path.join(folder, "reused"))
      _ = crasher_null()
    case .reusedNode:
      guard crasher_reuse_node() == 0 else { return }
      _ = crasher_null()
    }
  }

  /// Writes until the disk is full, as in a small file system that a test mounts.
  private func fillDisk(_ folder: String) {
    let disk = SystemFileSystem()
    guard let file = try? disk.open(Path.join(folder, "filler"), .create) else { return }
    var offset: Int64 = 0
    for size in [1 << 16, 1 << 12, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while offset < 1 << 28, (try? disk.writeAll(file, bytes, at: offset)) != nil {
        offset += Int64(size)
      }
    }
  }

  private func exhaustMemory(_ secret: String) {
    _ = crasher_limit_memory()
    var texts: [String] = []
    while true { texts.append(String(repeating: secret, count: 1 << 16)) }
  }
}
