import Synchronization

/// When an append returns.
public enum Durability: Sendable, Hashable {
  /// When the events survive a power loss.
  case durable
  /// When the events are written: they survive a crash of the process, and a power loss only once
  /// ``AppendReceipt/durable()`` has returned. The store sees to that by itself, a moment later.
  case buffered
}

/// What an append did.
public struct AppendReceipt: Sendable {
  /// The events written, in the order given, without those that were skipped.
  public internal(set) var appended: [Appended] = []
  /// Events whose `ref` the journal held already.
  public internal(set) var skippedCount = 0
  /// Sentences for the person whose journal it is: a doubtful end that was put aside, a fresh
  /// device ID and why.
  public internal(set) var notices: [String] = []
  /// The state that holds them.
  public internal(set) var snapshot: Snapshot
  /// What was asked for, one for each of ``appended``: what an undo goes by.
  var drafts: [EventDraft] = []
  /// Nil where the events are durable already.
  var ticket: DurabilityTicket?

  /// One event written.
  public struct Appended: Sendable, Hashable {
    /// The ID that the event was given.
    public let id: EventID
    /// What the event is about; nil for singletons.
    public let entity: EntityID?
  }

  /// Returns once the events survive a power loss; at once where they do already.
  ///
  /// - Throws: `syncFailed`: whether they survive is unknown, and the store takes no more appends.
  public func durable() async throws(EventLogError) {
    try await ticket?.wait()
  }
}

/// Waits for the sync that covers what a buffered append has written.
final class DurabilityTicket: Sendable {
  typealias Answer = Result<Void, EventLogError>

  private enum State {
    case waiting([CheckedContinuation<Answer, Never>])
    case answered(Answer)
  }

  private let state = Mutex(State.waiting([]))
  /// Has the sync made now instead of a moment later.
  private let hurry: @Sendable () -> Void

  init(hurry: @escaping @Sendable () -> Void) { self.hurry = hurry }

  func wait() async throws(EventLogError) {
    let answer = await withCheckedContinuation { continuation in
      let known: Answer? = state.withLock { state in
        switch state {
        case .waiting(let others):
          state = .waiting(others + [continuation])
          return nil
        case .answered(let answer): return answer
        }
      }
      if let known { continuation.resume(returning: known) } else { hurry() }
    }
    try answer.get()
  }

  func answer(_ answer: Answer) {
    let waiting = state.withLock { state in
      guard case .waiting(let waiting) = state else {
        return [CheckedContinuation<Answer, Never>]()
      }
      state = .answered(answer)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: answer) }
  }
}
