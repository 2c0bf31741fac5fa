import EventLog
import EventLogRemotes

extension PipeExchange {
  /// Answers an initiator that transfers contents, until it finishes.
  func serve(_ contents: any ContentSession) async throws(Failure) {
    do throws(Failure) {
      while try await answer(receive(), contents) {}
    } catch {
      await contents.leave()
      throw error
    }
    await contents.leave()
  }

  /// Answers one message and returns whether more may follow.
  private func answer(
    _ message: PipeMessage, _ contents: any ContentSession
  ) async throws(Failure) -> Bool {
    switch message {
    case .contents(let hash):
      let page = try await waiting { () throws(EventLogError) in
        try await contents.contents(after: hash)
      }
      try await send(.held(Array(page.prefix(PipeLimits.partCountMax))))
    case .fetch(let content, let offset, let count):
      let bytes = try await waiting { () throws(EventLogError) in
        try await contents.read(content, at: offset, count: count)
      }
      try await send(.part(byteCount: bytes?.count ?? 0), bytes ?? [])
    case .offer(let content):
      let count = try await waiting { () throws(EventLogError) in
        try await contents.begin(content)
      }
      try await send(.taken(count))
    case .part(let byteCount):
      let bytes: [UInt8]
      do throws(PipeFault) { bytes = try await connection.receiveBytes(byteCount) } catch {
        throw .pipe(error)
      }
      let count = try await waiting { () throws(EventLogError) in try await contents.write(bytes) }
      try await send(.taken(count))
    case .finish:
      try await send(.finished(notices: []))
      return false
    default: throw .pipe(.unexpected(message.name))
    }
    return true
  }
}
