/// What became of lines from another journal.
package struct ReceiveResult: Sendable {
  /// The events taken.
  package var received = EventRanges()
  /// How many were held already.
  package var heldCount = 0
  /// What was refused, and why: of each device the first event. All else was taken.
  package private(set) var refused: [Refusal] = []
  private var refusedDevices: Set<DeviceID?> = []
  /// Whether lines told of events of the taker's own device that it did not hold: its journal was
  /// rolled back, or a copy of it went on. It gives that ID up.
  package var hasDuplicateWriter = false

  /// Of no lines.
  package init() {}

  /// Events that were not taken: one, and what needs it.
  package struct Refusal: Sendable, Hashable {
    /// Whose event; nil for a line that is no event.
    package var device: DeviceID?
    /// The first event of the device that was not taken; nil for a line that is no event.
    package var sequence: Int64?
    /// Why it was not taken.
    package var code: JournalProblem.Code

    /// A refusal of one event, or of a line that is none.
    package init(device: DeviceID?, sequence: Int64?, code: JournalProblem.Code) {
      self.device = device
      self.sequence = sequence
      self.code = code
    }
  }

  /// Adds what became of further lines.
  package mutating func add(_ other: ReceiveResult) {
    received.formUnion(other.received)
    heldCount += other.heldCount
    hasDuplicateWriter = hasDuplicateWriter || other.hasDuplicateWriter
    for refusal in other.refused { refuse(refusal) }
  }

  /// Notes a refusal, unless one of the same device stands already.
  package mutating func refuse(_ refusal: Refusal) {
    if refusedDevices.insert(refusal.device).inserted { refused.append(refusal) }
  }
}
