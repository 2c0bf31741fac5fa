/// The missing events that were acknowledged as lost (`device.lost`), with the events before them
/// that each loss includes.
struct AcknowledgedLosses {
  private let ledger: Ledger
  /// For each branch, its lost events in ascending order.
  ///
  /// `first` is the earliest start of a loss that ends at or after the event.
  private var starts: [Int32: [(sequence: Int64, first: Int64)]] = [:]
  /// For each device, its losses in ascending order of `first`, with a running maximum of their
  /// ends.
  private var ends: [DeviceID: [(first: Int64, last: Int64)]] = [:]
  /// The chains of the last events of the losses.
  private var chains: Set<UInt32> = []

  /// - Complexity: O(losses and branches, sorted).
  init(_ ledger: Ledger) {
    self.ledger = ledger
    if ledger.losses.isEmpty { return }
    for (last, first) in ledger.losses {
      chains.insert(last.chain)
      ends[last.device, default: []].append((first, last.sequence))
      guard let point = ledger.locate(last) else { continue }
      starts[point.branch, default: []].append((point.sequence, first))
    }
    ends = ends.mapValues(Self.reaching)
    // Visit child branches before their parents.
    let branches = ledger.branches.indices
      .sorted { ledger.depth(of: $0) > ledger.depth(of: $1) }
    for branch in branches {
      guard let found = starts[Int32(branch)] else { continue }
      let sorted = Self.beginning(found)
      starts[Int32(branch)] = sorted
      let parent = ledger.parent(of: branch)
      if parent >= 0 {
        starts[Int32(parent), default: []].append((ledger.after(branch), sorted[0].first))
      }
    }
  }

  /// Sorts by `sequence` and makes `first` a running minimum from the end, so that one binary
  /// search answers a lookup.
  private static func beginning(
    _ starts: [(sequence: Int64, first: Int64)]
  ) -> [(sequence: Int64, first: Int64)] {
    var sorted = starts.sorted { $0.sequence < $1.sequence }
    for index in sorted.indices.dropLast().reversed() {
      sorted[index].first = min(sorted[index].first, sorted[index + 1].first)
    }
    return sorted
  }

  /// Sorts by `first` and makes `last` a running maximum, so that one binary search answers a
  /// lookup.
  private static func reaching(
    _ ends: [(first: Int64, last: Int64)]
  ) -> [(first: Int64, last: Int64)] {
    var sorted = ends.sorted { $0.first < $1.first }
    for index in sorted.indices.dropFirst() {
      sorted[index].last = max(sorted[index].last, sorted[index - 1].last)
    }
    return sorted
  }

  /// Whether the loss of an event was acknowledged.
  func contains(_ event: FullEventID) -> Bool {
    if ledger.losses[event] != nil { return true }
    guard let point = starts.isEmpty ? nil : ledger.locate(event),
      let starts = starts[point.branch]
    else { return false }
    let index = starts.partitioningIndex { $0.sequence >= point.sequence }
    return index < starts.count && starts[index].first <= point.sequence
  }

  /// Whether the loss of the event in a damaged line was acknowledged.
  func contains(_ line: FailingLine) -> Bool {
    guard let id = line.id else { return line.checksum.map { chains.contains($0.chain) } ?? false }
    guard let ends = ends[id.device] else { return false }
    let index = ends.partitioningIndex { $0.first > id.sequence }
    return index > 0 && ends[index - 1].last >= id.sequence
  }
}
