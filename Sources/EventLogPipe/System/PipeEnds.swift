// The descriptors of one channel, and waiting for them.

import EventLog
import Synchronization

/// The ends of pipes that belong to a channel. Whoever uses one holds this, and the last one to let
/// go closes them, so that no descriptor is closed under a call that waits for it.
final class PipeEnds: Sendable {
  /// Bytes asked for at a time.
  private static let chunkBytes = 1 << 16
  /// Of what a program says on standard error, so much of the end is kept.
  private static let errorOutputMax = 4096
  /// So often it is read at a time: a program that always says more must not be listened to for
  /// ever.
  private static let errorReadsMax = 16
  /// A program that has said so much on standard error is listened to with pauses: else it keeps a
  /// processor busy.
  private static let errorFloodBytes = 1 << 20

  private let input: CInt
  private let output: CInt
  private let errors: CInt?
  /// Whether the ends belong to this process alone and never keep a call waiting.
  private let areOwn: Bool
  private let errorOutput = Mutex(ErrorOutput())
  /// Whoever waits, waits for this too: it is ready once the channel is closed.
  private let closing: CInt
  /// The other end of it, until then.
  private let open: Mutex<CInt?>

  private struct ErrorOutput {
    var bytes: [UInt8] = []
    var totalCount = 0
    var isOpen = true
  }

  /// - Parameter areOwn: whether they are closed at the end.
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

  /// Makes all calls that wait throw `cancelled`, and all later ones.
  func wake() {
    open.withLock { open in
      if let open { systemClose(open) }
      open = nil
    }
  }

  /// Waits for bytes; none at the end.
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
      // Others may use a descriptor that was inherited: it stays as it is, and is given no more
      // than it takes without waiting.
      let part = areOwn ? rest : rest.prefix(pipeAtomicBytes)
      do throws(Errno) {
        rest = rest.dropFirst(try systemWriteAvailable(output, part))
      } catch {
        guard error == .wouldBlock else { throw error }
      }
    }
  }

  /// What the program has said on standard error, without waiting for more.
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
      if ready[1] { throw .cancelled }
      // A program that is not listened to stops.
      if ready.count > 2, ready[2] { listenToErrors() }
      if ready[0] { return }
      // Whatever it says on standard error: that is nothing that is waited for.
      if !ready.contains(true) || !overflow && monotonicMilliseconds() >= deadline {
        throw .timedOut
      }
    }
  }
}
