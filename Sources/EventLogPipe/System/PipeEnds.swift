import EventLog
import Synchronization

/// The file descriptors of a channel.
///
/// Each call holds a reference, and the last reference closes the descriptors. So no descriptor is
/// closed during a call that waits for it.
final class PipeEnds: Sendable {
  /// The maximum number of bytes of a read.
  private static let chunkBytes = 1 << 16
  /// The number of last bytes of a program's standard error to keep.
  private static let errorOutputMax = 4096
  /// The maximum number of consecutive reads of standard error, which may never end.
  private static let errorReadsMax = 16
  /// The number of bytes of standard error after which reads are paused, to spare the processor.
  private static let errorFloodBytes = 1 << 20

  private let input: CInt
  private let output: CInt
  private let errors: CInt?
  /// Whether the ends belong to this process alone, and are nonblocking.
  private let areOwn: Bool
  private let errorOutput = Mutex(ErrorOutput())
  /// A pipe for which every call waits as well, and which is readable after the channel is closed.
  private let closing: CInt
  /// The writing end of this pipe, or nil after the channel is closed.
  private let open: Mutex<CInt?>

  private struct ErrorOutput {
    var bytes: [UInt8] = []
    var totalCount = 0
    var isOpen = true
  }

  /// Takes descriptors, which are closed at the end if `areOwn` is true.
  init(input: CInt, output: CInt, errors: CInt?, areOwn: Bool) throws(Errno) {
    let closing = try systemMakePipe()
    self.closing = closing.reading
    open = Mutex(closing.writing)
    self.input = input
    self.output = output
    self.errors = errors
    self.areOwn = areOwn
  }

  deinit {
    wake()
    systemClose(closing)
    guard areOwn else { return }
    systemClose(input)
    systemClose(output)
    if let errors { systemClose(errors) }
  }

  /// Makes all current and later calls throw `canceled`.
  func wake() {
    open.withLock { open in
      if let open { systemClose(open) }
      open = nil
    }
  }

  /// Waits for bytes and returns none at the end.
  func read(within milliseconds: Int64) throws(Errno) -> [UInt8] {
    while true {
      try wait(for: input, .reading, within: milliseconds)
      do throws(Errno) {
        return try systemReadAvailable(input, atMost: Self.chunkBytes)
      } catch {
        guard error == .wouldBlock else { throw error }
      }
    }
  }

  func write(_ bytes: [UInt8], within milliseconds: Int64) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(for: output, .writing, within: milliseconds)
      // An inherited descriptor may be shared, so it stays blocking. Write only as much as it
      // accepts without blocking.
      let part = areOwn ? rest : rest.prefix(pipeAtomicBytes)
      do throws(Errno) {
        rest = rest.dropFirst(try systemWriteAvailable(output, part))
      } catch {
        guard error == .wouldBlock else { throw error }
      }
    }
  }

  /// Returns the last bytes of standard error, without waiting for more.
  func takeErrorOutput() -> [UInt8] {
    guard let errors else { return [] }
    return errorOutput.withLock { output in
      for _ in 0..<Self.errorReadsMax where output.isOpen {
        guard let bytes = try? systemReadAvailable(errors, atMost: Self.chunkBytes) else { break }
        if bytes.isEmpty { output.isOpen = false }
        output.totalCount += bytes.count
        output.bytes = (output.bytes + bytes).suffix(Self.errorOutputMax)
      }
      return output.bytes
    }
  }

  private func listenToErrors() {
    _ = takeErrorOutput()
    if errorOutput.withLock({ $0.totalCount > Self.errorFloodBytes }) {
      sleepMilliseconds(10)
    }
  }

  private func wait(
    for file: CInt, _ readiness: Readiness, within milliseconds: Int64
  ) throws(Errno) {
    let (deadline, overflow) = monotonicMilliseconds()
      .addingReportingOverflow(milliseconds)
    while true {
      var files = [(file, readiness), (closing, Readiness.reading)]
      if let errors, errorOutput.withLock(\.isOpen) { files.append((errors, .reading)) }
      let ready = try systemWait(for: files, until: overflow ? .max : deadline)
      if ready[1] { throw .canceled }
      // A program blocks if its standard error isn't read.
      if ready.count > 2, ready[2] { listenToErrors() }
      if ready[0] { return }
      // Output on standard error doesn't extend the wait.
      if !ready.contains(true) || !overflow && monotonicMilliseconds() >= deadline {
        throw .timedOut
      }
    }
  }
}
