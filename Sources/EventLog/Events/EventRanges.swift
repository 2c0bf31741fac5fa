/// Events, collected one by one and kept as ranges.
public struct EventRanges: Sendable, Hashable {
  /// Per device its ranges, by sequence; no two of them touch.
  private var runs: [DeviceID: [ClosedRange<Int64>]] = [:]

  public init() {}

  public var isEmpty: Bool { runs.isEmpty }

  /// How many events.
  public var count: Int64 { ranges.saturatingCount }

  /// The ranges, by device and sequence.
  public var ranges: [EventRange] {
    runs.keys.sorted().flatMap { device in
      runs[device]!.map {
        EventRange(device: device, first: $0.lowerBound, last: $0.upperBound)
      }
    }
  }

  public func contains(_ event: EventID) -> Bool {
    runs[event.device]?.contains { $0.contains(event.sequence) } ?? false
  }

  /// Adds an event.
  ///
  /// - Complexity: O(1) for the next one of a device, else O(ranges of the device).
  public mutating func insert(_ event: EventID) {
    insert(EventRange(device: event.device, first: event.sequence, last: event.sequence))
  }

  /// Adds the events of a range.
  public mutating func insert(_ range: EventRange) {
    Self.insert(range.first...range.last, into: &runs[range.device, default: []])
  }

  /// Takes the events of a range out.
  public mutating func subtract(_ range: EventRange) {
    guard let old = runs[range.device] else { return }
    var rest: [ClosedRange<Int64>] = []
    for run in old {
      if run.lowerBound < range.first {
        rest.append(run.lowerBound...min(run.upperBound, range.first - 1))
      }
      if run.upperBound > range.last {
        rest.append(max(run.lowerBound, range.last + 1)...run.upperBound)
      }
    }
    runs[range.device] = rest.isEmpty ? nil : rest
  }

  public mutating func formUnion(_ other: EventRanges) {
    for range in other.ranges { insert(range) }
  }

  private static func insert(_ run: ClosedRange<Int64>, into runs: inout [ClosedRange<Int64>]) {
    if let last = runs.last, last.upperBound + 1 == run.lowerBound {
      runs[runs.count - 1] = last.lowerBound...run.upperBound
      return
    }
    var merged = run
    runs.removeAll { other in
      guard other.lowerBound <= merged.upperBound + 1, merged.lowerBound <= other.upperBound + 1
      else { return false }
      merged =
        min(merged.lowerBound, other.lowerBound)...max(merged.upperBound, other.upperBound)
      return true
    }
    runs.insert(merged, at: runs.firstIndex { $0.lowerBound > merged.lowerBound } ?? runs.count)
  }
}
