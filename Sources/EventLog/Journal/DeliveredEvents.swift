/// Which events were handed over: four bytes for each.
///
/// An event is known by its ID and its line's checksum, so that another one under the same ID,
/// which a repair can bring, is told from it.
package struct DeliveredEvents: Sendable {
  /// Events of one device, one sequence after the other.
  private struct Run: Sendable {
    let first: Int64
    var checksums: [UInt32]
    /// The sequence behind the last.
    var end: Int64 { first + Int64(checksums.count) }
  }

  /// In the order of their sequences; more than one where some are missing.
  private var runs: [String: [Run]] = [:]

  package init() {}

  /// Takes an event down.
  ///
  /// - Returns: false if it was handed over before.
  /// - Complexity: O(1) for a device's next event, else O(runs of the device).
  package mutating func add(device: String, sequence: Int64, checksum: UInt32) -> Bool {
    Self.add(sequence, checksum, to: &runs[device, default: []])
  }

  private static func add(
    _ sequence: Int64, _ checksum: UInt32, to runs: inout [Run]
  ) -> Bool {
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
      runs.insert(Run(first: sequence, checksums: [checksum]), at: next)
      return true
    }
    let index = Int(sequence - runs[next - 1].first)
    if index == runs[next - 1].checksums.count {
      runs[next - 1].checksums.append(checksum)
      return true
    }
    defer { runs[next - 1].checksums[index] = checksum }
    return runs[next - 1].checksums[index] != checksum
  }
}
