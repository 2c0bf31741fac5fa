// Bytes both ways, to a program or to another machine; what carries them is exchangeable.

package import EventLog

/// Carries bytes both ways between two sides: a pipe to a program, a connection, two queues in a
/// test.
///
/// One task reads at a time, and one writes; both may do so at once. An app that has a connection
/// of its own to another device conforms a type to this.
package protocol ByteChannel: Sendable {
  /// Waits for bytes from the other side: at least one; none where it will write no more.
  ///
  /// - Parameter milliseconds: how long to wait for the first one.
  /// - Throws: `Errno.timedOut` where none came; `Errno.cancelled` after ``close()``; what broke
  ///   the channel.
  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8]

  /// Hands over all bytes, or throws.
  ///
  /// - Parameter milliseconds: how long to wait each time that none can be handed over.
  /// - Throws: `Errno.brokenPipe` where nobody reads; `Errno.timedOut`; `Errno.cancelled` after
  ///   ``close()``; what broke the channel.
  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno)

  /// Ends the exchange from this side. Returns at once; calls that wait throw. Closing again does
  /// nothing.
  func close()

  /// What is known of how the other side ended, a moment after it has; nil where that is nothing.
  /// After ``close()`` it waits until nothing is left of the other side that has to be ended.
  func ending() async -> ChannelEnding?
}

extension ByteChannel {
  /// Nothing is known.
  package func ending() async -> ChannelEnding? { nil }
}

/// How the program at the other side of a channel ended.
package struct ChannelEnding: Sendable, Hashable {
  /// Its exit code; nil where a signal ended it, and while it runs.
  package var exitCode: CInt?
  /// The signal that ended it.
  package var signal: CInt?
  /// What it wrote last to its standard error.
  package var errorOutput: [UInt8]

  package init(exitCode: CInt? = nil, signal: CInt? = nil, errorOutput: [UInt8] = []) {
    self.exitCode = exitCode
    self.signal = signal
    self.errorOutput = errorOutput
  }
}
