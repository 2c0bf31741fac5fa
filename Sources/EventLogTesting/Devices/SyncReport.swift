public import EventLog

/// What a meeting of two devices did, as the one that asked for it sees it.
public struct SyncReport: Sendable {
  /// The events that this device took from the other, in their order.
  public let received: [EventID]
  /// The events that the other took from this one.
  public let sent: [EventID]
  /// What one of both would not take; all else was taken.
  public let refused: [Refusal]
  /// The conflicts that this device has now and did not have before, and those that have got a
  /// further candidate.
  public let newConflicts: [Conflict]

  /// A line that was not taken.
  public struct Refusal: Sendable, Hashable {
    /// Nil for a line that is no event.
    public let event: EventID?
    /// Why.
    public let code: JournalProblem.Code
    /// Whether this device refused it; else the other did.
    public let isIncoming: Bool
  }
}
