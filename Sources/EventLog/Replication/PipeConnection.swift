import Synchronization

/// Messages over a channel, each bounded in size and in time. Its methods are called one at a time,
/// but for ``sayWait()``.
final class PipeConnection: Sendable {
  private let channel: any ByteChannel
  private let limits: PipeLimits
  /// How long the other side may be silent.
  private let silence: Int64
  private let received = Mutex(Received())

  /// What came and was not taken yet.
  private struct Received {
    var bytes: [UInt8] = []
    var start = 0
    /// Up to here there is no LF.
    var searched = 0

    var count: Int { bytes.count - start }

    mutating func add(_ more: [UInt8]) {
      if start > 0 {
        bytes.removeFirst(start)
        searched -= start
        start = 0
      }
      bytes += more
    }

    mutating func take(_ count: Int) -> [UInt8] {
      defer {
        start += count
        searched = start
      }
      return Array(bytes[start..<start + count])
    }

    /// The next line without its LF; nil as long as it has none.
    mutating func takeLine() -> [UInt8]? {
      guard let end = bytes[searched...].firstIndex(of: 0x0A) else {
        searched = bytes.count
        return nil
      }
      let line = take(end - start)
      start = end + 1
      searched = start
      return line
    }
  }

  /// - Parameter silence: how long the other side may be silent.
  init(_ channel: any ByteChannel, _ limits: PipeLimits, silence: Int64) {
    self.channel = channel
    self.limits = limits
    self.silence = silence
  }

  func close() { channel.close() }

  func ending() async -> ChannelEnding? { await channel.ending() }

  /// Leaves, and lets no program stay behind.
  func leave() async {
    channel.close()
    _ = await channel.ending()
  }

  // MARK: - Receiving

  /// The next message that says something.
  ///
  /// - Parameter patience: how long to wait for its first byte, where that is not as usual.
  /// - Throws: `complaint` where the other side gives up.
  func receive(patience: Int64? = nil) async throws(PipeFault) -> PipeMessage {
    let deadline = monotonicMilliseconds() + limits.messageMilliseconds
    while true {
      let line = try await line(until: deadline, patience: patience ?? silence)
      guard let message = PipeMessage(line: line) else { throw .garbage(line) }
      switch message {
      case .wait: continue
      case .error(let complaint): throw .complaint(complaint)
      default: return message
      }
    }
  }

  /// Why the other side gave up, where it has said so before it was gone.
  func lastWords() async -> PipeComplaint? {
    do throws(PipeFault) {
      while true { _ = try await receive(patience: 1000) }
    } catch {
      guard case .complaint(let complaint) = error else { return nil }
      return complaint
    }
  }

  private func line(until deadline: Int64, patience: Int64) async throws(PipeFault) -> [UInt8] {
    while true {
      let (line, count) = received.withLock { received in
        (received.takeLine(), received.count)
      }
      if let line { return line }
      guard count <= PipeLimits.messageBytesMax else { throw .messageTooLong }
      try await receiveMore(until: deadline, patience: patience)
    }
  }

  /// The lines that stand behind a message.
  func receiveLines(_ count: Int, byteCount: Int) async throws(PipeFault) -> LineBatch {
    let deadline = monotonicMilliseconds() + limits.messageMilliseconds
    while received.withLock(\.count) < byteCount {
      try await receiveMore(until: deadline, patience: silence)
    }
    let bytes = received.withLock { $0.take(byteCount) }
    guard let batch = LineBatch(bytes, count: count) else { throw .garbage(bytes) }
    return batch
  }

  private func receiveMore(until deadline: Int64, patience: Int64) async throws(PipeFault) {
    let left = deadline - monotonicMilliseconds()
    guard left > 0 else { throw .endless(milliseconds: limits.messageMilliseconds) }
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try await closingOnCancellation { () async throws(Errno) in
        try await channel.read(within: min(left, patience))
      }
    } catch {
      guard error == .timedOut else { throw Self.fault(error) }
      throw patience <= left
        ? .silent(milliseconds: patience) : .endless(milliseconds: limits.messageMilliseconds)
    }
    if bytes.isEmpty { throw .ended }
    received.withLock { $0.add(bytes) }
  }

  // MARK: - Sending

  /// Sends a message, and the lines that stand behind it.
  func send(_ message: PipeMessage, _ lines: LineBatch? = nil) async throws(PipeFault) {
    let deadline = monotonicMilliseconds() + limits.messageMilliseconds
    var rest = (message.bytes + (lines?.bytes ?? []))[...]
    while !rest.isEmpty {
      guard monotonicMilliseconds() < deadline else {
        throw .endless(milliseconds: limits.messageMilliseconds)
      }
      let part = Array(rest.prefix(1 << 16))
      rest = rest.dropFirst(part.count)
      do throws(Errno) {
        try await closingOnCancellation { () async throws(Errno) in
          try await channel.write(part, within: silence)
        }
      } catch {
        throw error == .timedOut ? .silent(milliseconds: silence) : Self.fault(error)
      }
    }
  }

  /// Sends a statement in its parts.
  func send(
    _ statement: FrontierStatement, _ message: (FrontierStatement, Bool) -> PipeMessage
  ) async throws(PipeFault) {
    let parts = statement.parts
    for (index, part) in parts.enumerated() {
      try await send(message(part, index == parts.count - 1))
    }
  }

  /// The parts of a statement.
  func receiveStatement() async throws(PipeFault) -> FrontierStatement {
    var whole = FrontierStatement()
    while true {
      let message = try await receive()
      guard case .statement(let part, let isLast) = message else {
        throw .unexpected(message.name)
      }
      guard whole.add(part) else { throw .tooMany("statements") }
      if isLast { return whole }
    }
  }

  /// Says that an answer takes longer; whether that could be said.
  func sayWait() async -> Bool {
    (try? await channel.write(PipeMessage.wait.bytes, within: silence)) != nil
  }

  /// Whoever is cancelled waits no longer.
  private func closingOnCancellation<Value: Sendable>(
    _ body: () async throws(Errno) -> Value
  ) async throws(Errno) -> Value {
    let result: Result<Value, Errno> = await withTaskCancellationHandler {
      do throws(Errno) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      channel.close()
    }
    return try result.get()
  }

  private static func fault(_ error: Errno) -> PipeFault {
    switch error {
    case .cancelled: .cancelled
    case .brokenPipe: .ended
    default: .broken(error)
    }
  }
}

extension LineBatch {
  /// Takes lines that came in one piece; nil if they are not so many, each ended by LF.
  fileprivate init?(_ bytes: [UInt8], count: Int) {
    guard bytes.last == 0x0A, bytes.count(where: { $0 == 0x0A }) == count else { return nil }
    self.init(trusted: bytes, count: count)
  }
}
