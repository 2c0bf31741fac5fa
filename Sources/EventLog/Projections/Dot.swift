/// A write, as the mechanisms see it: its branch, its sequence, and its writer's time.
///
/// To the mechanisms, two histories of one device are two devices with a common past.
///
/// The order of the members avoids padding, because a state contains a dot for each value.
package struct Dot: Sendable, Hashable, BitwiseCopyable {
  package var sequence: Int64
  /// Milliseconds since 1970. Only breaks ties.
  package var at: Int64
  package var branch: Int32

  @inline(__always)
  package init(branch: Int32, sequence: Int64, at: Int64) {
    self.branch = branch
    self.sequence = sequence
    self.at = at
  }

  package var point: Ledger.Point { Ledger.Point(branch: branch, sequence: sequence) }

  /// The event's ID, as it is shown.
  package func id(_ ledger: Ledger) -> EventID { ledger.id(point) }

  /// Whether `later` follows this event in a history of their device.
  func isFollowed(by later: Dot, _ ledger: Ledger) -> Bool {
    point != later.point && ledger.isInHistory(point, of: later.point)
  }

  /// Whether the event being applied, which is on `branch`, has seen this one.
  @inline(__always)
  package func isSeen(by branch: Int32, _ ledger: Ledger) -> Bool {
    ledger.seen(Int(self.branch), by: Int(branch)) >= sequence
  }

  /// Whether this one is the later of two concurrent writes: by time, then by the bytes of the
  /// device ID, then by sequence, then by chain.
  package func isLater(than other: Dot, _ ledger: Ledger) -> Bool {
    if at != other.at { return at > other.at }
    if branch == other.branch { return sequence > other.sequence }
    let (one, two) = (ledger.fullID(point), ledger.fullID(other.point))
    return two < one
  }
}

extension Column {
  /// The columns of a dot, whose event must be one of ``TableVisitor/events``. `orNone` also
  /// allows the branch −1.
  static func dot(_ path: KeyPath<Row, Dot>, orNone: Bool = false) -> [Column] {
    let columns =
      Column<Dot>.event(\.branch, \.sequence, orNone: orNone)
      + [Column<Dot>(\.at, in: Timestamp.range)]
    return columns.map { Column(path, $0) }
  }
}
