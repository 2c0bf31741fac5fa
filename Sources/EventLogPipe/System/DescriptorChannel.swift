// A channel over file descriptors, such as a program's standard streams on either side.

package import EventLog
import Synchronization

/// A channel over two file descriptors, or to a program that it starts.
///
/// It doesn't change the signal handlers of the process. Writing to a pipe without a reader is an
/// error.
package final class DescriptorChannel: ByteChannel {
  /// The time that a program has to exit by itself.
  private static let graceMilliseconds: Int64 = 1000

  private let ends: Mutex<PipeEnds?>
  private let child: ChildProcess?
  private let reading = SerialWorker(label: "eventlog.channel.read")
  private let writing = SerialWorker(label: "eventlog.channel.write")

  /// Creates a channel over descriptors that stay open, such as a process's own standard streams.
  ///
  /// - Throws: `tooManyOpenFiles`.
  package init(reading input: FileDescriptor, writing output: FileDescriptor) throws(Errno) {
    let ends = try PipeEnds(
      input: input.rawValue, output: output.rawValue, errors: nil, areOwn: false)
    self.ends = Mutex(ends)
    child = nil
  }

  /// Starts a program, with a channel to its standard input and output.
  ///
  /// The last bytes of its standard error are kept for ``ending()``. The program gets this
  /// process's environment and folder. When the channel is closed or released, the program's input
  /// ends. A program that doesn't exit then is killed. It is reaped in any case.
  ///
  /// - Parameter command: The program, found like in a shell, and its arguments.
  /// - Throws: `noSuchFile` or `permissionDenied` if there is no such program; `notSupported` on
  ///   systems without child processes.
  package init(starting command: [String]) throws(Errno) {
    var open: [CInt] = []
    do throws(Errno) {
      func pipe() throws(Errno) -> (reading: CInt, writing: CInt) {
        let made = try systemMakePipe()
        open += [made.reading, made.writing]
        return made
      }
      let (input, output, errors) = (try pipe(), try pipe(), try pipe())
      for end in [input.writing, output.reading, errors.reading] {
        try systemSetNonblocking(end)
      }
      let child = try ChildProcess(
        command, input: input.reading, output: output.writing, errors: errors.writing)
      self.child = child
      do throws(Errno) {
        ends = Mutex(
          try PipeEnds(
            input: output.reading, output: input.writing, errors: errors.reading, areOwn: true))
      } catch {
        child.end(within: 0)
        throw error
      }
      for end in [input.reading, output.writing, errors.writing] { systemClose(end) }
    } catch {
      for end in open { systemClose(end) }
      throw error
    }
  }

  deinit { close() }

  package func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    try await perform(on: reading) { (ends) throws(Errno) in
      try ends.read(within: milliseconds)
    }
  }

  package func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    try await perform(on: writing) { (ends) throws(Errno) in
      try ends.write(bytes, within: milliseconds)
    }
  }

  package func close() {
    let ends = ends.withLock { ends in
      defer { ends = nil }
      return ends
    }
    guard let ends else { return }
    ends.wake()
    guard let child else { return }
    // Runs after the current write, which ends now.
    writing.run { child.end(within: Self.graceMilliseconds) }
  }

  package func ending() async -> ChannelEnding? {
    guard let child else { return nil }
    let ends = ends.withLock { $0 }
    return await withCheckedContinuation { continuation in
      // After a close, wait for the worker that ends the program.
      (ends == nil ? writing : reading).run {
        let ended = child.ending(within: Self.graceMilliseconds)
        continuation.resume(
          returning: ChannelEnding(
            exitCode: ended?.exitCode, signal: ended?.signal,
            errorOutput: ends?.takeErrorOutput() ?? []))
      }
    }
  }

  private func perform<Value: Sendable>(
    on worker: SerialWorker,
    _ body: @escaping @Sendable (PipeEnds) throws(Errno) -> Value
  ) async throws(Errno) -> Value {
    guard let ends = ends.withLock({ $0 }) else { throw .canceled }
    let result: Result<Value, Errno> = await withCheckedContinuation { continuation in
      worker.run {
        continuation.resume(returning: Result { () throws(Errno) in try body(ends) })
      }
    }
    return try result.get()
  }
}
