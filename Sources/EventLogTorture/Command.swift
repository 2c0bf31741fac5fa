import CEventLogTorture
import EventLogTesting
import Foundation

/// The command `eventlog`, as it is started again and again: a real process on real files.
struct Command {
  /// The program's path.
  let program: String
  /// This program's path, which is what an app does with its accounts.
  let accountsProgram: String
  /// The library that stands between the program and the system's calls; empty for none.
  let faults: String
  /// How long what a process has started may outlive it, in milliseconds.
  var strayPatience = Self.patience

  /// What is run.
  enum Program {
    case eventlog
    /// ``AccountsProgram``.
    case accounts
  }

  /// What is done to a process while it runs.
  enum Fault {
    case none
    /// What `Faults.c` calls a plan, and in which of two processes; `log` is the file it writes.
    case calls(plan: String, side: Side)
    /// It is killed after so many microseconds.
    case time(Int)
    /// It gets a signal after so many microseconds.
    case signal(Int32, after: Int)
  }

  /// Which of the processes that speak with each other over a pipe.
  enum Side: String { case any, serve, other }

  /// How a process ended, and what it said.
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
    /// Whether a signal ended it that nobody sent.
    var isTrap: Bool { signal != 0 && signal != SIGKILL }
    /// Whether the plan's call was made.
    var isStruck: Bool { log.contains { $0.hasPrefix("struck ") } }
  }

  /// How long a process may take, in milliseconds. No verb has more than seconds to do here, but it
  /// may wait 5 s for a lock, and the machine may be busy.
  static let patience: Int32 = 60_000

  /// Runs the command with these words.
  func run(
    _ words: [String], in place: Place, input: String = "", fault: Fault = .none,
    as program: Program = .eventlog
  ) throws -> Ending {
    var environment = [
      "PATH=/usr/bin:/bin", "HOME=\(place.path)", "TZ=UTC", "LC_ALL=C.UTF-8",
      "EVENTLOG_SSH=/bin/sh '\(place.aside("ssh"))'",
      "EVENTLOG_REMOTE_COMMAND='\(self.program)'",
      // A trap is counted; where it came from is for whoever runs the case again.
      "SWIFT_BACKTRACE=enable=no",
    ]
    let log = place.aside("log")
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
    try input.write(toFile: place.aside("in"), atomically: false, encoding: .utf8)
    // Who is killed before it begins has not emptied what the one before it said.
    for name in ["out", "err", "log"] {
      try "".write(toFile: place.aside(name), atomically: false, encoding: .utf8)
    }
    var ending = torture_ending()
    let words =
      switch program {
      case .eventlog: [self.program] + words
      case .accounts: [accountsProgram, "accounts"] + words
      }
    let error = Self.withCStrings(words) { words in
      Self.withCStrings(environment) { environment in
        torture_run(
          words, environment, place.path, place.aside("in"), place.aside("out"),
          place.aside("err"), Self.patience, strayPatience, signal, killTime, &ending)
      }
    }
    guard error == 0 else { throw Trouble("a process could not be started: error \(error)") }
    return Ending(
      code: ending.code, signal: ending.signal, isHanging: ending.timed_out != 0,
      strays: Int(ending.strays), output: place.textAside("out"), errors: place.textAside("err"),
      log: place.textAside("log").split(separator: "\n").map(String.init))
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}

/// Why these programs cannot go on: never a finding about the product.
struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
