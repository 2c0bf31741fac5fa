public import EventLog

/// The result of repairing a journal.
public struct RepairReport: Sendable {
  /// The events that had been missing or damaged and were recovered, sorted by device.
  public internal(set) var refilled: [EventRange] = []
  /// The other events that were received, sorted by device.
  public internal(set) var pulled: [EventRange] = []
  /// The events that are missing and not acknowledged as lost.
  public internal(set) var missing: [EventRange] = []
  /// The events whose loss this repair has acknowledged.
  public internal(set) var accepted: [EventRange] = []
  /// The number of damaged ranges of bytes that no event refers to and whose loss was acknowledged.
  public internal(set) var acceptedByteRunCount = 0
  /// The events of the other side that this journal has refused.
  public internal(set) var refused: [SyncReport.Refusal] = []
  /// Messages for the user.
  public internal(set) var notices: [String] = []
  /// The first remaining problem that is damage, or `nil` if there is none.
  public internal(set) var damage: JournalProblem?

  /// A Boolean value that indicates whether nothing remains to be repaired.
  public var isWhole: Bool { missing.isEmpty && refused.isEmpty && damage == nil }

  /// A Boolean value that indicates whether nothing was changed.
  public var isEmpty: Bool {
    refilled.isEmpty && pulled.isEmpty && accepted.isEmpty && acceptedByteRunCount == 0
  }

  /// Creates an empty report, to which you can add others.
  public init() {}

  /// Adds the report of a later repair.
  ///
  /// - Parameter later: A report of a later repair of the same journal.
  public mutating func formUnion(_ later: RepairReport) {
    refilled = Set(refilled + later.refilled).sorted()
    pulled = Set(pulled + later.pulled).sorted()
    accepted = Set(accepted + later.accepted).sorted()
    acceptedByteRunCount += later.acceptedByteRunCount
    (missing, damage) = (later.missing, later.damage)
    refused += later.refused.filter { !refused.contains($0) }
    notices += later.notices.filter { !notices.contains($0) }
  }
}

extension RepairReport: CustomStringConvertible {
  /// A summary on one line, such as `recovered 2 events, nothing is missing`.
  public var description: String {
    Summary.line([
      "recovered \(Summary.count(refilled.saturatingCount, "event"))",
      Summary.some(pulled.saturatingCount, "other event", "received"),
      Summary.some(accepted.saturatingCount, "event", "accepted as lost"),
      Summary.some(acceptedByteRunCount, "damaged line", "accepted as lost"),
      Summary.some(refused.count, "refusal"),
      missing.isEmpty
        ? damage.map { "damage in line \($0.line)" } ?? "nothing is missing"
        : Summary.some(missing.saturatingCount, "event", "missing"),
    ])
  }
}
