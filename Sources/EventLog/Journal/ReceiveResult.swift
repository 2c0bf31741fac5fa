/// The result of receiving lines from another journal.
package struct ReceiveResult: Sendable {
  /// The events that were accepted.
  package var received = EventRanges()
  /// The number of events that were already held.
  package var heldCount = 0
  /// The refusals, at most one for each device.
  ///
  /// All other events were accepted.
  package private(set) var refused: [Refusal] = []
  private var refusedDevices: Set<DeviceID?> = []
  /// Whether lines named events of the receiver's own device that it doesn't hold, because its
  /// journal was rolled back or a copy wrote under its ID. The receiver then retires the ID.
  package var hasDuplicateWriter = false

  /// Creates the result of receiving no lines.
  package init() {}

  /// A refused event, which stands for those that need it too.
  package struct Refusal: Sendable, Hashable {
    /// The device, or nil for a line that isn't an event.
    package var device: DeviceID?
    /// The device's first refused event, or nil for a line that isn't an event.
    package var sequence: Int64?
    /// The reason for the refusal.
    package var code: JournalProblem.Code

    /// Creates the refusal of an event or of a line that isn't one.
    package init(device: DeviceID?, sequence: Int64?, code: JournalProblem.Code) {
      self.device = device
      self.sequence = sequence
      self.code = code
    }
  }

  /// Adds the result of more lines.
  package mutating func add(_ other: ReceiveResult) {
    received.formUnion(other.received)
    heldCount += other.heldCount
    hasDuplicateWriter = hasDuplicateWriter || other.hasDuplicateWriter
    for refusal in other.refused { refuse(refusal) }
  }

  /// Adds a refusal, unless there is one for the same device.
  package mutating func refuse(_ refusal: Refusal) {
    if refusedDevices.insert(refusal.device).inserted { refused.append(refusal) }
  }
}
