/// Per device the highest sequence seen.
///
/// Fidge, "Timestamps in Message-Passing Systems That Preserve the Partial Ordering", 1988;
/// Mattern, "Virtual Time and Global States of Distributed Systems", 1989.
public struct VectorClock: Sendable, Hashable {
  /// Every sequence is at least 1.
  public private(set) var entries: [DeviceID: Int64] = [:]

  public init() {}

  package init(_ entries: [(DeviceID, Int64)]) {
    for (device, sequence) in entries { self[device] = sequence }
  }

  /// 0 for a device of which nothing was seen.
  public subscript(device: DeviceID) -> Int64 {
    get { entries[device] ?? 0 }
    set { entries[device] = newValue > 0 ? newValue : nil }
  }

  /// Whether `id` is among the events that the clock holds.
  public func contains(_ id: EventID) -> Bool { self[id.device] >= id.sequence }

  /// The entries, by device.
  public var sorted: [(device: DeviceID, sequence: Int64)] {
    entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
