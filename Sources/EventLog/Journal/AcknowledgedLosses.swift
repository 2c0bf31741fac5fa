/// Which missing events somebody has acknowledged to be lost (`device.lost`): each by itself, or as
/// one of those before another one.
struct AcknowledgedLosses {
  private let ledger: Ledger
  /// Per branch events of it, ascending, and where a loss begins that one of them ends, or one
  /// behind it.
  private var starts: [Int32: [(sequence: Int64, first: Int64)]] = [:]
  /// Per device where losses begin, ascending, and how far they or those before reach.
  private var ends: [DeviceID: [(first: Int64, last: Int64)]] = [:]
  /// The chains of the last events of losses.
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
    // What is behind a branch is looked at before the branch.
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

  /// Each with the least beginning of those at and behind it.
  private static func beginning(
    _ starts: [(sequence: Int64, first: Int64)]
  ) -> [(sequence: Int64, first: Int64)] {
    var sorted = starts.sorted { $0.sequence < $1.sequence }
    for index in sorted.indices.dropLast().reversed() {
      sorted[index].first = min(sorted[index].first, sorted[index + 1].first)
    }
    return sorted
  }

  /// Each with the greatest end of those at and before it.
  private static func reaching(
    _ ends: [(first: Int64, last: Int64)]
  ) -> [(first: Int64, last: Int64)] {
    var sorted = ends.sorted { $0.first < $1.first }
    for index in sorted.indices.dropFirst() {
      sorted[index].last = max(sorted[index].last, sorted[index - 1].last)
    }
    return sorted
  }

  /// Whether an event's loss was acknowledged.
  func contains(_ event: FullEventID) -> Bool {
    if ledger.losses[event] != nil { return true }
    guard let point = starts.isEmpty ? nil : ledger.locate(event),
      let starts = starts[point.branch]
    else { return false }
    let place = starts.partitioningIndex { $0.sequence >= point.sequence }
    return place < starts.count && starts[place].first <= point.sequence
  }

  /// Whether the loss of the event was acknowledged that a damaged line held.
  func contains(_ line: FailingLine) -> Bool {
    guard let id = line.id else { return line.checksum.map { chains.contains($0.chain) } ?? false }
    guard let ends = ends[id.device] else { return false }
    let place = ends.partitioningIndex { $0.first > id.sequence }
    return place > 0 && ends[place - 1].last >= id.sequence
  }
}
