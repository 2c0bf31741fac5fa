/// The set of delivered events.
///
/// It takes 4 bytes for each event, and about 40 for each additional event with the same short ID.
package struct DeliveredEvents: Sendable {
  /// Consecutive events of one device.
  private struct Run: Sendable {
    let first: Int64
    var chains: [UInt32]
    /// The sequence after the last event.
    var end: Int64 { first + Int64(chains.count) }
  }

  /// The runs of each device, sorted by sequence.
  ///
  /// There are several if events are missing.
  private var runs: [String: [Run]] = [:]
  /// Additional events with the same short IDs.
  private var others: Set<FullEventID> = []

  package init() {}

  /// Adds an event.
  ///
  /// - Returns: False if it was already contained.
  /// - Complexity: O(1) for a device's next event, otherwise O(runs of the device).
  package mutating func add(_ event: FullEventID) -> Bool {
    switch Self.add(event.sequence, event.chain, to: &runs[event.device.text, default: []]) {
    case .new: true
    case .known: false
    case .taken: others.insert(event).inserted
    }
  }

  private enum Addition {
    case new, known
    /// Another event has that sequence.
    case taken
  }

  private static func add(
    _ sequence: Int64, _ chain: UInt32, to runs: inout [Run]
  ) -> Addition {
    // Find the first run that begins after the sequence. The run before it may contain the sequence
    // or end at it.
    var next = runs.count
    if let last = runs.last, last.first > sequence {
      var low = 0
      while low < next {
        let middle = (low + next) / 2
        if runs[middle].first > sequence { next = middle } else { low = middle + 1 }
      }
    }
    guard next > 0, sequence <= runs[next - 1].end else {
      runs.insert(Run(first: sequence, chains: [chain]), at: next)
      return .new
    }
    let index = Int(sequence - runs[next - 1].first)
    if index == runs[next - 1].chains.count {
      runs[next - 1].chains.append(chain)
      return .new
    }
    return runs[next - 1].chains[index] == chain ? .known : .taken
  }
}
