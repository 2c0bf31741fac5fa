import Synchronization

/// The result of an append.
public struct AppendReceipt: Sendable {
  /// The events that were written, in order, without the skipped ones.
  public internal(set) var appended: [Appended] = []
  /// The number of events that were skipped because the journal already contained their `ref`.
  public internal(set) var skippedCount = 0
  /// Messages for the user, such as that a torn write was moved to a separate file, or that the
  /// journal continues under a new device ID and why.
  public internal(set) var notices: [String] = []
  /// The store's state when you first read this property. It contains the events.
  public internal(set) var snapshot: Snapshot {
    get {
      switch state {
      case .known(let snapshot): snapshot
      case .toCome(let state): state.snapshot
      }
    }
    set { state = .known(newValue) }
  }
  /// The source of ``snapshot``.
  var state: State
  /// The drafts of the events in ``appended``. An undo uses them.
  package internal(set) var drafts: [EventDraft] = []
  /// The mark that follows the events in the journal, if they undo others.
  var mark: UndoMark?
  /// Nil if the events are already durable.
  var ticket: DurabilityTicket?

  enum State: Sendable {
    case known(Snapshot)
    case toCome(LazySnapshot)
  }

  package init(snapshot: Snapshot) { state = .known(snapshot) }

  /// An event that was written.
  public struct Appended: Sendable, Hashable {
    /// The ID of the event.
    public let id: EventID
    /// The entity that the event is about, or `nil` for a singleton.
    public let entity: EntityID?
  }

  /// Waits until the events survive a power loss.
  ///
  /// The call starts the sync at once if it is still pending, and returns immediately if the events
  /// are already durable.
  ///
  /// - Throws: `syncFailed` if it is unknown whether the events survive. The store then refuses
  ///   all later appends. `locked` or `inputOutput` if the sync couldn't begin: the store tries
  ///   again every 5 seconds, and you can call the method again.
  public func durable() async throws(EventLogError) {
    try await ticket?.wait()
  }
}
