// A program that this process started, until it is reaped.

import EventLog
import Synchronization

/// A running child process, which is reaped in any case.
final class ChildProcess: Sendable {
  private let identity: CInt
  /// How it ended, once it was reaped: from then on its number may be another's.
  private let ended = Mutex<ProcessEnding?>(nil)

  /// Starts a program with the given standard streams.
  ///
  /// - Parameter words: the program, searched for as a shell does, and its arguments.
  /// - Throws: `noSuchFile` or `permissionDenied` where there is no such program;
  ///   `notSupported` where the system has no child processes.
  init(
    _ words: [String], input: CInt, output: CInt, errors: CInt
  ) throws(Errno) {
    identity = try systemSpawn(words, input: input, output: output, errors: errors)
  }

  /// How it has ended; nil while it runs.
  var ending: ProcessEnding? {
    ended.withLock { ended in
      if ended == nil { ended = systemReap(identity) }
      return ended
    }
  }

  /// Waits for its end, at most so long; nil if it still runs.
  func ending(within milliseconds: Int64) -> ProcessEnding? {
    let deadline = monotonicMilliseconds() + milliseconds
    while true {
      if let ending { return ending }
      if monotonicMilliseconds() >= deadline { return nil }
      sleepMilliseconds(5)
    }
  }

  /// Lets it come to its end by itself, and ends it after so long.
  func end(within milliseconds: Int64) {
    if ending(within: milliseconds) != nil { return }
    ended.withLock { ended in
      if ended == nil { systemKill(identity) }
    }
    _ = ending(within: 5000)
  }
}
