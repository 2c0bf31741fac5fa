// A pipe in memory that a test can cut.

package import EventLog
import EventLogPipe
import Synchronization

/// One end of a pipe in memory.
///
/// ```swift
/// let (near, far) = MemoryChannel.pair()
/// let serving = Task { try await PipeServer(path: path).serve(far) }
/// try await phone.sync(with: PipeRemote(address: "far") { near })
/// ```
package final class MemoryChannel: ByteChannel {
  private let incoming: MemoryQueue
  private let outgoing: MemoryQueue

  private init(incoming: MemoryQueue, outgoing: MemoryQueue) {
    self.incoming = incoming
    self.outgoing = outgoing
  }

  /// Returns both ends of a new pipe.
  ///
  /// - Parameter byteCount: The number of bytes, in both directions together, after which both ends
  ///   find the other side gone, as if it had been killed. If nil, the pipe is never cut.
  package static func pair(
    cutAfter byteCount: Int? = nil
  ) -> (near: MemoryChannel, far: MemoryChannel) {
    let fuse = MemoryFuse(byteCount)
    let (there, back) = (MemoryQueue(fuse), MemoryQueue(fuse))
    fuse.onBreak = { [weak there, weak back] in
      there?.end()
      back?.end()
    }
    return (
      MemoryChannel(incoming: back, outgoing: there),
      MemoryChannel(incoming: there, outgoing: back)
    )
  }

  deinit { close() }

  /// The number of bytes written at this end.
  package var writtenByteCount: Int { outgoing.totalCount }

  package func read(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    try await incoming.take(within: milliseconds)
  }

  package func write(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    try await outgoing.put(bytes, within: milliseconds)
  }

  package func close() {
    incoming.leave()
    outgoing.end(byWriter: true)
  }
}

/// Breaks both directions after a number of bytes.
private final class MemoryFuse: Sendable {
  private let left: Mutex<Int?>
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ count: Int?) { left = Mutex(count) }

  var onBreak: (@Sendable () -> Void)? {
    get { action.withLock { $0 } }
    set { action.withLock { $0 = newValue } }
  }

  /// Returns how many of these bytes pass and breaks the pipe if some don't.
  func pass(_ count: Int) -> Int {
    let passed = left.withLock { left in
      guard let rest = left else { return count }
      left = max(0, rest - count)
      return min(rest, count)
    }
    if passed < count { onBreak?() }
    return passed
  }
}

/// The bytes in transit in one direction: fewer than twice the capacity.
private final class MemoryQueue: Sendable {
  private static let capacity = 1 << 16

  private struct State {
    var bytes: [UInt8] = []
    var totalCount = 0
    /// Whether no more bytes will arrive.
    var isEnded = false
    /// Whether the writer itself has closed its end.
    var isEndedByWriter = false
    /// Whether the reader has closed its end.
    var isLeft = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiting = 0
  }

  private let state = Mutex(State())
  private let fuse: MemoryFuse

  init(_ fuse: MemoryFuse) { self.fuse = fuse }

  var totalCount: Int { state.withLock(\.totalCount) }

  func take(within milliseconds: Int64) async throws(Errno) -> [UInt8] {
    try await perform(within: milliseconds) { state in
      if state.isLeft { return .failure(.canceled) }
      if state.bytes.isEmpty { return state.isEnded ? .success([]) : nil }
      defer { state.bytes = [] }
      return .success(state.bytes)
    }
  }

  func put(_ bytes: [UInt8], within milliseconds: Int64) async throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let fuse = fuse
      let part = Array(rest.prefix(Self.capacity))
      rest = rest.dropFirst(part.count)
      let passed = fuse.pass(part.count)
      try await perform(within: milliseconds) { state -> Result<Void, Errno>? in
        if state.isEndedByWriter { return .failure(.canceled) }
        if state.isLeft { return .failure(.brokenPipe) }
        if state.bytes.count >= Self.capacity { return nil }
        state.bytes += part.prefix(passed)
        state.totalCount += passed
        return passed < part.count ? .failure(.brokenPipe) : .success(())
      }
    }
  }

  func end(byWriter isByWriter: Bool = false) {
    change { state in
      state.isEnded = true
      state.isEndedByWriter = state.isEndedByWriter || isByWriter
    }
  }

  func leave() { change { $0.isLeft = true } }

  private func change(_ body: (inout State) -> Void) {
    let waiting = state.withLock { state in
      body(&state)
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Repeats `attempt` after each change until it returns a result, or throws `timedOut`.
  private func perform<Value>(
    within milliseconds: Int64, _ attempt: (inout State) -> Result<Value, Errno>?
  ) async throws(Errno) -> Value {
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      if let result = state.withLock({ attempt(&$0) }) {
        change { _ in }
        return try result.get()
      }
      let left = deadline - ContinuousClock.now
      if left <= .zero { throw .timedOut }
      await wait(atMost: left, unless: attempt)
    }
  }

  /// Waits for a change, unless `attempt` would already return a result.
  private func wait<Value>(
    atMost time: Duration, unless attempt: (inout State) -> Result<Value, Errno>?
  ) async {
    let number = state.withLock { state in
      state.lastWaiting += 1
      return state.lastWaiting
    }
    var timer: Task<Void, Never>?
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        var copy = state
        if attempt(&copy) != nil { return true }
        state.waiting[number] = continuation
        return false
      }
      if isReady { return continuation.resume() }
      timer = Task { [weak self] in
        try? await Task.sleep(for: time)
        self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
      }
    }
    timer?.cancel()
  }
}
