package import EventLog

/// Hands a journal out to one initiator at the other end of a channel, and takes what that brings:
/// the other side of a ``PipeRemote``.
///
/// The journal is read and written exactly as ``JournalRemote`` does. The protocol is described in
/// `Docs/Internals/Protocol.md`.
package struct PipeServer: Sendable {
  private let journal: JournalRemote
  /// Milliseconds since some fixed moment.
  var now: @Sendable () -> Int64 = monotonicMilliseconds
  private let limits: PipeLimits
  /// How much was read and written for initiators.
  private let work = WorkCount()

  /// - Parameters:
  ///   - path: the journal's file; it is made where there is none and events come for it.
  ///   - options: where the file is, and how long to wait for its lock.
  package init(
    path: String, options: JournalOptions = JournalOptions(), limits: PipeLimits = PipeLimits()
  ) {
    var options = options
    options.fileSystem = CountingFileSystem(options.fileSystem, work)
    journal = JournalRemote(path: path, options: options)
    self.limits = limits
  }

  /// Serves one initiator, until it has finished or has gone away.
  ///
  /// The memory taken does not depend on what the initiator sends. It may go away at any moment:
  /// what the server had taken of it stays.
  ///
  /// - Throws: what the journal throws, after the initiator was told of it; `remoteFailed` where
  ///   the initiator does not keep to the protocol; `cancelled`.
  package func serve(_ channel: any ByteChannel) async throws(EventLogError) {
    let connection = PipeConnection(
      channel, limits, patience: limits.initiatorMilliseconds, takesWaits: false, now: now)
    defer { connection.close() }
    var exchange = PipeExchange(connection, limits, work)
    do throws(PipeExchange.Failure) {
      try await exchange.perform(with: journal)
    } catch {
      switch error {
      // The initiator may leave: its next run goes on from what was taken.
      case .pipe(.ended), .pipe(.complaint): return
      case .pipe(.cancelled):
        throw EventLogError(
          .cancelled, "The exchange was cancelled. Events transferred so far are kept.")
      case .pipe(let fault):
        let failure = EventLogError(
          .remoteFailed, "The initiator \(fault.clause). Events transferred so far are kept.",
          hint: fault.isLaterVersion ? "Update eventlog on the serving side." : nil)
        try? await connection.send(.error(PipeComplaint(failure)))
        throw failure
      case .journal(let failure):
        try? await connection.send(.error(PipeComplaint(failure)))
        throw failure
      }
    }
  }
}

extension PipeFault {
  fileprivate var isLaterVersion: Bool { if case .laterVersion = self { true } else { false } }
}

extension PipeComplaint {
  fileprivate init(_ error: EventLogError) {
    self.init(code: error.code.text, message: error.message, hint: error.hint)
  }
}
