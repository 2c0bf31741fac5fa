import CEventLogTorture
import EventLogTesting
import Foundation

/// Runs the command `eventlog` as a real process on real files.
struct Command {
  /// The path of the `eventlog` executable.
  let program: String
  /// The path of this program, which contains ``AccountsProgram``.
  let accountsProgram: String
  /// The path of the library between the program and its system calls, or empty for none.
  let faults: String
  /// The time that descendants of a process may outlive it, in milliseconds.
  var strayPatience = Self.patience

  /// The program to run.
  enum Program {
    case eventlog
    case accounts
  }

  /// A disturbance of a running process.
  enum Fault {
    case none
    /// A plan for `Faults.c`, in one of two processes.
    case calls(plan: String, side: Side)
    /// A kill after a number of microseconds.
    case time(Int)
    /// A signal after a number of microseconds.
    case signal(Int32, after: Int)
  }

  /// One of the two processes that sync through a pipe.
  enum Side: String { case any, serve, other }

  /// The end of a process, and its output.
  struct Ending {
    var code: Int32
    var signal: Int32
    var isHanging: Bool
    var strays: Int
    var output: String
    var errors: String
    /// The lines of the log of ``Fault/calls(plan:side:)``.
    var log: [String]

    var isKilled: Bool { signal == SIGKILL && !isHanging }
    /// Whether a signal other than a kill ended it, such as that of a trap.
    var isTrap: Bool { signal != 0 && signal != SIGKILL }
    /// Whether the planned call was made.
    var isStruck: Bool { log.contains { $0.hasPrefix("struck ") } }
  }

  /// The time limit of a process, in milliseconds.
  ///
  /// Each verb takes only seconds here, but may wait 5 s for a lock, and the machine may be busy.
  static let patience: Int32 = 60_000

  /// Runs a program with arguments.
  func run(
    _ arguments: [String], in sandbox: Sandbox, input: String = "", fault: Fault = .none,
    as program: Program = .eventlog
  ) throws -> Ending {
    var environment = [
      "PATH=/usr/bin:/bin", "HOME=\(sandbox.path)", "TZ=UTC", "LC_ALL=C.UTF-8",
      "EVENTLOG_SSH=/bin/sh '\(sandbox.auxiliaryFile("ssh"))'",
      "EVENTLOG_REMOTE_COMMAND='\(self.program)'",
      // Traps are only counted. For a backtrace, run the case again.
      "SWIFT_BACKTRACE=enable=no",
    ]
    let log = sandbox.auxiliaryFile("log")
    try? FileManager.default.removeItem(atPath: log)
    var killTime = -1
    var signal = SIGKILL
    switch fault {
    case .none: break
    case .time(let microseconds): killTime = microseconds
    case .signal(let number, let microseconds): (signal, killTime) = (number, microseconds)
    case .calls(let plan, let side):
      environment += [
        "LD_PRELOAD=\(faults)", "EVENTLOG_FAULT_LOG=\(log)", "EVENTLOG_FAULT=\(plan)",
      ]
      if side != .any { environment.append("EVENTLOG_FAULT_SIDE=\(side.rawValue)") }
    }
    try input.write(toFile: sandbox.auxiliaryFile("in"), atomically: false, encoding: .utf8)
    // A process that is killed before it starts leaves the output of the previous one.
    for name in ["out", "err", "log"] {
      try "".write(toFile: sandbox.auxiliaryFile(name), atomically: false, encoding: .utf8)
    }
    var ending = torture_ending()
    let argv =
      switch program {
      case .eventlog: [self.program] + arguments
      case .accounts: [accountsProgram, "accounts"] + arguments
      }
    let error = Self.withCStrings(argv) { argv in
      Self.withCStrings(environment) { environment in
        torture_run(
          argv, environment, sandbox.path, sandbox.auxiliaryFile("in"),
          sandbox.auxiliaryFile("out"),
          sandbox.auxiliaryFile("err"), Self.patience, strayPatience, signal, killTime, &ending)
      }
    }
    guard error == 0 else { throw TortureError("a process could not be started: error \(error)") }
    return Ending(
      code: ending.code, signal: ending.signal, isHanging: ending.timed_out != 0,
      strays: Int(ending.strays), output: sandbox.auxiliaryText("out"),
      errors: sandbox.auxiliaryText("err"),
      log: sandbox.auxiliaryText("log").split(separator: "\n").map(String.init))
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}
