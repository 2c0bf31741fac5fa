/// Hands a journal out to one visitor at the other end of a channel, and takes what the visitor
/// brings: the other side of a ``PipeRemote``.
///
/// The journal is read and written exactly as ``JournalRemote`` does. The protocol is described in
/// `Docs/Protocol.md`.
public struct PipeServer: Sendable {
  private let journal: JournalRemote
  private let limits: PipeLimits

  /// - Parameters:
  ///   - path: the journal's file; it is made where there is none and events come for it.
  ///   - options: where the file is, and how long to wait for its lock.
  public init(
    path: String, options: JournalOptions = JournalOptions(), limits: PipeLimits = PipeLimits()
  ) {
    journal = JournalRemote(path: path, options: options)
    self.limits = limits
  }

  /// Serves one visitor, until it has finished or has gone away.
  ///
  /// The memory taken does not depend on what the visitor sends. A visitor may go away at any
  /// moment: what was taken of it stays.
  ///
  /// - Throws: what the journal throws, after it was said to the visitor; `remoteFailed` where the
  ///   visitor does not keep to the protocol; `cancelled`.
  public func serve(_ channel: any ByteChannel) async throws(EventLogError) {
    let connection = PipeConnection(channel, limits, silence: limits.visitorMilliseconds)
    defer { connection.close() }
    var visit = PipeVisit(connection, limits)
    do throws(PipeFailing) {
      try await visit.perform(with: journal)
    } catch {
      switch error {
      // Whoever visits may leave: the next visit goes on from what was taken.
      case .pipe(.ended), .pipe(.complaint): return
      case .pipe(.cancelled):
        throw EventLogError(
          .cancelled, "The visit was cancelled. What had crossed until then stays.")
      case .pipe(let fault):
        let failure = EventLogError(
          .remoteFailed, "The visitor \(fault.clause). What had crossed until then stays.",
          hint: fault.isLaterVersion ? "Update eventlog on the side that serves." : nil)
        try? await connection.send(.error(PipeComplaint(failure)))
        throw failure
      case .journal(let failure):
        try? await connection.send(.error(PipeComplaint(failure)))
        throw failure
      }
    }
  }
}

/// Why a visit ends early.
enum PipeFailing: Error {
  /// The exchange cannot go on.
  case pipe(PipeFault)
  /// The journal cannot.
  case journal(EventLogError)
}

extension PipeFault {
  fileprivate var isLaterVersion: Bool { if case .laterVersion = self { true } else { false } }
}

extension PipeComplaint {
  fileprivate init(_ error: EventLogError) {
    self.init(code: error.code.text, message: error.message, hint: error.hint)
  }
}
