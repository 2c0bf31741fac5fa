/// Which events were handed over: four bytes for each, and some forty for those of forks.
package struct DeliveredEvents: Sendable {
  /// Events of one device, one sequence after the other.
  private struct Run: Sendable {
    let first: Int64
    var chains: [UInt32]
    /// The sequence behind the last.
    var end: Int64 { first + Int64(chains.count) }
  }

  /// In the order of their sequences; more than one where some are missing.
  private var runs: [String: [Run]] = [:]
  /// Further events under the same short IDs.
  private var others: Set<FullEventID> = []

  package init() {}

  /// Takes an event down.
  ///
  /// - Returns: false if it was handed over before.
  /// - Complexity: O(1) for a device's next event, else O(runs of the device).
  package mutating func add(_ event: FullEventID) -> Bool {
    switch Self.add(event.sequence, event.chain, to: &runs[event.device.text, default: []]) {
    case .new: true
    case .known: false
    case .taken: others.insert(event).inserted
    }
  }

  private enum Addition {
    case new, known
    /// Another event has that place.
    case taken
  }

  private static func add(
    _ sequence: Int64, _ chain: UInt32, to runs: inout [Run]
  ) -> Addition {
    // The first run that begins behind the sequence; what holds it, or ends at it, is before.
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
