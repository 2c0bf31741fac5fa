import EventLog
import Synchronization

/// A child process, which is reaped in any case.
final class ChildProcess: Sendable {
  private let identity: CInt
  /// Its end after it was reaped, when its ID may already belong to another process.
  private let ended = Mutex<ProcessEnding?>(nil)

  /// Starts a program with the given standard streams.
  ///
  /// - Parameter words: The program, found like in a shell, and its arguments.
  /// - Throws: `noSuchFile` or `permissionDenied` if there is no such program; `notSupported` if
  ///   the system has no child processes.
  init(
    _ words: [String], input: CInt, output: CInt, errors: CInt
  ) throws(Errno) {
    identity = try systemSpawn(words, input: input, output: output, errors: errors)
  }

  /// Its end, or nil while it runs.
  var ending: ProcessEnding? {
    ended.withLock { ended in
      if ended == nil { ended = systemReap(identity) }
      return ended
    }
  }

  /// Waits for its end and returns nil after a timeout.
  func ending(within milliseconds: Int64) -> ProcessEnding? {
    let deadline = monotonicMilliseconds() + milliseconds
    while true {
      if let ending { return ending }
      if monotonicMilliseconds() >= deadline { return nil }
      sleepMilliseconds(5)
    }
  }

  /// Waits for its end and kills it after a timeout.
  func end(within milliseconds: Int64) {
    if ending(within: milliseconds) != nil { return }
    ended.withLock { ended in
      if ended == nil { systemKill(identity) }
    }
    _ = ending(within: 5000)
  }
}
