import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Process {
  /// Waits for the end of the process, and reaps it at once.
  ///
  /// Foundation takes longer to notice an end. Until then, the monitor of exit tests, which waits
  /// for any child, finds this one repeatedly and keeps a processor busy.
  func reap() -> (code: Int32, isSignalled: Bool) {
    var status: Int32 = 0
    while true {
      if waitpid(processIdentifier, &status, 0) == processIdentifier {
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8 & 0xff, false) : (signal, true)
      }
      if errno != EINTR { break }
    }
    // Foundation was faster.
    waitUntilExit()
    return (terminationStatus, terminationReason == .uncaughtSignal)
  }
}
