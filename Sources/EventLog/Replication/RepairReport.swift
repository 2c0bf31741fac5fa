/// What a repair of a journal did, and what is still missing.
public struct RepairReport: Sendable {
  /// Events that had been missing or damaged and are here now, by device.
  public internal(set) var refilled: [EventRange] = []
  /// Further events that came, by device.
  public internal(set) var pulled: [EventRange] = []
  /// What is missing, and nobody has acknowledged to be lost.
  public internal(set) var missing: [EventRange] = []
  /// What was acknowledged to be lost by this repair.
  public internal(set) var accepted: [EventRange] = []
  /// How many damaged stretches of bytes were acknowledged that no event names.
  public internal(set) var acceptedByteRunCount = 0
  /// What the other side had and this one did not take.
  public internal(set) var refused: [SyncReport.Refusal] = []
  /// What the person whose journal it is should know.
  public internal(set) var notices: [String] = []
  /// The first problem that is left; nil for none.
  public internal(set) var damage: JournalProblem?

  /// Whether nothing is left to repair.
  public var isWhole: Bool { missing.isEmpty && refused.isEmpty && damage == nil }

  /// Whether nothing was changed.
  public var isEmpty: Bool {
    refilled.isEmpty && pulled.isEmpty && accepted.isEmpty && acceptedByteRunCount == 0
  }

  /// Reports a repair that did nothing, to begin a sum of several.
  public init() {}

  /// Adds what a repair from a further place did.
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
