import EventLog
import Synchronization

/// Messages over a channel, each with a limited size and time.
///
/// The methods are called one at a time, except ``sayWait(done:)``.
final class PipeConnection: Sendable {
  private let channel: any ByteChannel
  private let limits: PipeLimits
  /// The maximum time without anything useful from the other side, in milliseconds.
  private let patience: Int64
  private let takesWaits: Bool
  private let now: @Sendable () -> Int64
  private let received = Mutex(Received())
  private let watch: Mutex<ProgressWatch>

  /// The received bytes that haven't been processed yet.
  private struct Received {
    var bytes: [UInt8] = []
    var start = 0
    /// The index up to which there is no LF.
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

    /// Returns the next line without its LF, or nil if it is incomplete.
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

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - patience: The maximum time without anything useful from the other side, in milliseconds.
  ///   - takesWaits: Whether the other side may send `wait` messages.
  ///   - now: Returns the milliseconds since a fixed moment.
  init(
    _ channel: any ByteChannel, _ limits: PipeLimits, patience: Int64, takesWaits: Bool = true,
    now: @escaping @Sendable () -> Int64 = monotonicMilliseconds
  ) {
    self.channel = channel
    self.limits = limits
    self.patience = patience
    self.takesWaits = takesWaits
    self.now = now
    watch = Mutex(
      ProgressWatch(
        patience: patience, answerMilliseconds: limits.messageMilliseconds, at: now()))
  }

  func close() { channel.close() }

  func ending() async -> ChannelEnding? { await channel.ending() }

  /// Closes the channel and waits until its program has ended.
  func leave() async {
    channel.close()
    _ = await channel.ending()
  }

  // MARK: - Progress

  /// Expects something new from now on.
  func begin() { watch.withLock { $0.begin(at: now()) } }

  /// Records whether any of the last lines were accepted.
  func recordLines(areUseful: Bool) {
    watch.withLock { areUseful ? $0.begin(at: now()) : $0.noteUselessLines(at: now()) }
  }

  /// Excludes time that this side spent on other work.
  func skip(_ milliseconds: Int64) { watch.withLock { $0.skip(milliseconds) } }

  // MARK: - Receiving

  /// Receives the next message other than an accepted `wait`.
  ///
  /// - Parameter patience: The maximum time without anything useful, or nil for the usual one.
  /// - Throws: `complaint` if the other side gives up.
  func receive(patience: Int64? = nil) async throws(PipeFault) -> PipeMessage {
    watch.withLock { $0.patience = patience ?? self.patience }
    if watch.withLock(\.hasHeardUseless) { try checkTime() }
    while true {
      let line = try await line()
      guard let message = PipeMessage(line: line) else { throw .garbage(line) }
      if case .error(let complaint) = message { throw .complaint(complaint) }
      watch.withLock { $0.note(message, at: now()) }
      guard takesWaits, case .wait = message else { return message }
      try checkTime()
    }
  }

  /// The maximum time for reading what the other side sent before it closed the channel.
  private static let lastWordsMilliseconds: Int64 = 1000

  /// Returns the complaint of the other side, if it sent one before it closed the channel.
  func lastWords(within milliseconds: Int64 = lastWordsMilliseconds) async -> PipeComplaint? {
    let end = now() + milliseconds
    begin()
    do throws(PipeFault) {
      while now() < end { _ = try await receive(patience: milliseconds) }
    } catch {
      if case .complaint(let complaint) = error { return complaint }
    }
    return nil
  }

  private func line() async throws(PipeFault) -> [UInt8] {
    while true {
      let (line, count) = received.withLock { received in
        (received.takeLine(), received.count)
      }
      if let line { return line }
      guard count <= PipeLimits.messageBytesMax else { throw .messageTooLong }
      try await receiveMore()
    }
  }

  /// Receives the lines after a message.
  func receiveLines(_ count: Int, byteCount: Int) async throws(PipeFault) -> LineBatch {
    let bytes = try await receiveBytes(byteCount)
    guard let batch = LineBatch(bytes, count: count) else { throw .garbage(bytes) }
    return batch
  }

  /// Receives the bytes after a message.
  func receiveBytes(_ count: Int) async throws(PipeFault) -> [UInt8] {
    while received.withLock(\.count) < count { try await receiveMore() }
    return received.withLock { $0.take(count) }
  }

  private func receiveMore() async throws(PipeFault) {
    let left = watch.withLock { $0.left(at: now()) }
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try await closingOnCancellation { () async throws(Errno) in
        try await channel.read(within: left)
      }
    } catch {
      throw error == .timedOut ? watch.withLock(\.fault) : Self.fault(error)
    }
    if bytes.isEmpty { throw .ended }
    watch.withLock { $0.noteBytes(bytes.count, at: now()) }
    received.withLock { $0.add(bytes) }
  }

  private func checkTime() throws(PipeFault) {
    try watch.withLock { (watch) throws(PipeFault) in try watch.check(at: now()) }
  }

  // MARK: - As the initiator

  /// Introduces the initiator and returns the other side's welcome in a version of this side.
  func greet(
    _ hello: PipeHello, _ limits: PipeLimits
  ) async throws(PipeFault) -> (schema: SchemaFile.Name??, keepsContents: Bool) {
    var patience = limits.connectingMilliseconds
    do throws(PipeFault) { try await send(.hello(hello)) } catch {
      // A server that has closed the connection may have said why. One that has only closed its
      // input must not be waited for.
      guard case .ended = error else { throw error }
      patience = Self.lastWordsMilliseconds
      begin()
    }
    let answer = try await receive(patience: patience)
    guard case .welcome(let version, let schema, let keepsContents) = answer else {
      throw .unexpected(answer.name)
    }
    guard version == PipeMessage.version else { throw .laterVersion(version) }
    return (schema, keepsContents)
  }

  /// Runs a part of the exchange and ends the exchange if it fails.
  ///
  /// - Parameter meaning: The consequence of a failure for the data.
  func exchange<Value: Sendable>(
    with address: String, isGreeted: () -> Bool, meaning: String,
    _ body: (PipeConnection) async throws(PipeFault) -> Value
  ) async throws(EventLogError) -> Value {
    do throws(PipeFault) { return try await body(self) } catch {
      var fault = error
      // The other side may have sent a complaint before it closed the channel.
      if fault == .ended, let complaint = await lastWords() { fault = .complaint(complaint) }
      let ending = fault == .ended ? await ending() : nil
      await leave()
      throw PipeFailure(
        address: address, fault: fault, isGreeted: isGreeted(), ending: ending, meaning: meaning
      ).error
    }
  }

  // MARK: - Sending

  /// Sends a message and the bytes after it.
  ///
  /// - Parameter isBeginning: Whether to expect something new from then on.
  func send(
    _ message: PipeMessage, _ bytes: [UInt8] = [], beginning isBeginning: Bool = true
  ) async throws(PipeFault) {
    let deadline = now() + limits.messageMilliseconds
    var rest = (message.bytes + bytes)[...]
    while !rest.isEmpty {
      guard now() < deadline else {
        throw .endless(milliseconds: limits.messageMilliseconds)
      }
      let part = Array(rest.prefix(1 << 16))
      rest = rest.dropFirst(part.count)
      do throws(Errno) {
        try await closingOnCancellation { () async throws(Errno) in
          try await channel.write(part, within: patience)
        }
      } catch {
        throw error == .timedOut ? .silent(milliseconds: patience) : Self.fault(error)
      }
    }
    if isBeginning { begin() }
  }

  /// Sends the parts of a statement.
  func send(
    _ statement: FrontierStatement, _ message: (FrontierStatement, Bool) -> PipeMessage
  ) async throws(PipeFault) {
    let parts = statement.parts
    for (index, part) in parts.enumerated() {
      try await send(message(part, index == parts.count - 1))
    }
  }

  /// Receives the parts of a statement.
  func receiveStatement() async throws(PipeFault) -> FrontierStatement {
    var whole = FrontierStatement()
    while true {
      let message = try await receive()
      guard case .statement(let part, let isLast) = message else {
        throw .unexpected(message.name)
      }
      guard whole.add(part), isLast || part.saysSomething else { throw .tooMany("statements") }
      if isLast { return whole }
    }
  }

  /// Sends `wait` with the work done so far and returns whether that succeeded.
  func sayWait(done: Int64) async -> Bool {
    (try? await channel.write(PipeMessage.wait(done: done).bytes, within: patience)) != nil
  }

  /// Closes the channel if the task is canceled, so that the call returns.
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
    case .canceled: .canceled
    case .brokenPipe: .ended
    default: .broken(error)
    }
  }
}

extension LineBatch {
  /// Returns nil unless the bytes are `count` lines, each ending with an LF.
  fileprivate init?(_ bytes: [UInt8], count: Int) {
    guard bytes.last == 0x0A, bytes.count(where: { $0 == 0x0A }) == count else { return nil }
    self.init(trusted: bytes, count: count)
  }
}
