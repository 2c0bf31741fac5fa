package import EventLog
package import EventLogRemotes

/// Serves a journal to one initiator at a time, at the other end of a channel.
///
/// It is the other side of a ``PipeRemote``. It reads and writes the journal exactly like
/// ``JournalRemote``. `Docs/Internals/Protocol.md` describes the protocol.
package struct PipeServer: Sendable {
  private let journal: JournalRemote
  /// Returns the number of milliseconds since a fixed moment.
  var now: @Sendable () -> Int64 = monotonicMilliseconds
  private let limits: PipeLimits
  private let contents: (@Sendable (JournalOptions) -> any ContentSession)?
  private let options: JournalOptions
  /// The amount of data read and written for initiators.
  private let work = WorkCount()

  /// Creates a server for a journal.
  ///
  /// - Parameters:
  ///   - path: The path of the journal. If it doesn't exist, it is created for the first events.
  ///   - options: The options of the journal, including the timeout of its lock.
  ///   - contents: Returns the contents beside the journal, such as photos, for one initiator. If
  ///     nil, only events are served.
  package init(
    path: String, options: JournalOptions = JournalOptions(), limits: PipeLimits = PipeLimits(),
    contents: (@Sendable (JournalOptions) -> any ContentSession)? = nil
  ) {
    var options = options
    options.fileSystem = CountingFileSystem(options.fileSystem, work)
    journal = JournalRemote(path: path, options: options)
    self.limits = limits
    (self.contents, self.options) = (contents, options)
  }

  /// Serves one initiator, until it finishes or disappears.
  ///
  /// The memory use doesn't depend on the data that the initiator sends. The initiator may
  /// disappear at any time: events received until then are kept.
  ///
  /// - Throws: Errors of the journal, after they are reported to the initiator; `remoteFailed` if
  ///   the initiator violates the protocol; `canceled`.
  package func serve(_ channel: any ByteChannel) async throws(EventLogError) {
    let connection = PipeConnection(
      channel, limits, patience: limits.initiatorMilliseconds, takesWaits: false, now: now)
    defer { connection.close() }
    var exchange = PipeExchange(connection, limits, work)
    do throws(PipeExchange.Failure) {
      try await exchange.perform(with: journal, contents?(options))
    } catch {
      switch error {
      // The initiator may leave: its next run continues after the received events.
      case .pipe(.ended), .pipe(.complaint): return
      case .pipe(.canceled):
        throw EventLogError(
          .canceled, "The exchange was canceled. Events transferred so far are kept.")
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
