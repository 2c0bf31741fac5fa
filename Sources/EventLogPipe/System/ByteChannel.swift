package import EventLog

/// A channel for bytes in both directions: a pipe to a program, a connection, or queues in a test.
///
/// One task reads at a time, and one writes, possibly at once. An app with its own connection to
/// another device conforms a type to this protocol.
package protocol ByteChannel: Sendable {
  /// Waits for bytes from the other side and returns none if it has closed the channel.
  ///
  /// - Parameter milliseconds: The maximum time until the first byte.
  /// - Throws: `Errno.timedOut` if no byte arrived; `Errno.canceled` after ``close()``; the error
  ///   of a broken channel.
  func read(within milliseconds: Int64) async throws(Errno) -> [UInt8]

  /// Writes all bytes, or throws.
  ///
  /// - Parameter milliseconds: The maximum time without progress.
  /// - Throws: `Errno.brokenPipe` if the other side doesn't read anymore; `Errno.timedOut`;
  ///   `Errno.canceled` after ``close()``; the error of a broken channel.
  func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno)

  /// Closes this side and returns at once.
  ///
  /// Calls that wait throw. Another close does nothing.
  func close()

  /// Waits a moment for the end of the other side and returns it, or nil if it is unknown.
  ///
  /// After ``close()``, this method first waits until the other side has been ended.
  func ending() async -> ChannelEnding?
}

extension ByteChannel {
  /// Returns nil: the end is unknown.
  package func ending() async -> ChannelEnding? { nil }
}

/// The end of the program at the other side of a channel.
package struct ChannelEnding: Sendable, Hashable {
  /// Its exit code, or nil if a signal ended it or it still runs.
  package var exitCode: CInt?
  /// The signal that ended it.
  package var signal: CInt?
  /// The last bytes of its standard error.
  package var errorOutput: [UInt8]

  package init(exitCode: CInt? = nil, signal: CInt? = nil, errorOutput: [UInt8] = []) {
    self.exitCode = exitCode
    self.signal = signal
    self.errorOutput = errorOutput
  }
}
