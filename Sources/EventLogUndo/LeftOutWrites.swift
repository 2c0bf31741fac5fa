package import EventLog

/// The writes of some devices, which a state leaves out.
package struct LeftOutWrites: Sendable {
  /// The devices that wrote them.
  let devices: Set<DeviceID>
  /// The devices among them whose writes weren't left out before.
  let added: Set<DeviceID>
  /// The ledger of the reading that found the devices.
  let ledger: Ledger
  /// Whether the same writes were left out before.
  let isRepeated: Bool
  /// The mark of an undo of these writes.
  let mark: UndoMark
  /// Whether entities that others have worked on keep only what others wrote.
  let dividesKept: Bool
  /// For each branch, the events that earlier undos appended.
  private var undos: [Int32: [ClosedRange<Int64>]] = [:]

  /// - Parameters:
  ///   - devices: The devices whose writes are left out.
  ///   - added: The devices among them whose writes weren't left out before.
  ///   - undos: The events that earlier undos appended. They copy the writes of others, so they are
  ///     left out, too.
  ///   - ledger: The ledger of the reading that found all of these.
  ///   - isRepeated: Whether the same writes were left out before.
  ///   - mark: The mark of an undo of these writes.
  ///   - dividesKept: Whether entities that the devices began and others have worked on keep only
  ///     what others wrote. Otherwise, they keep everything.
  package init(
    of devices: Set<DeviceID>, added: Set<DeviceID>, undos: [EventRange], in ledger: Ledger,
    isRepeated: Bool, mark: UndoMark, dividesKept: Bool = false
  ) {
    (self.devices, self.added, self.ledger) = (devices, added, ledger)
    (self.isRepeated, self.mark, self.dividesKept) = (isRepeated, mark, dividesKept)
    for range in undos { add(range) }
  }

  private mutating func add(_ range: EventRange) {
    var end = ledger.locate(range.end)
    while let last = end, last.sequence >= range.first {
      let branch = ledger.branches[Int(last.branch)]
      let first = max(branch.first, range.first)
      undos[last.branch, default: []].append(first...last.sequence)
      end = ledger.before(.init(branch: last.branch, sequence: branch.first))
    }
  }

  /// Whether an earlier undo appended events of a device.
  func hasUndos(of device: DeviceID) -> Bool {
    undos.keys.contains { ledger.device(of: Int($0)) == device }
  }

  /// Whether an earlier undo appended an event of another reading.
  package func isUndo(_ event: Ledger.Point, of other: Ledger) -> Bool {
    if undos.isEmpty { return false }
    guard let point = ledger.translated(event, from: other), let ranges = undos[point.branch]
    else { return false }
    return ranges.contains { $0.contains(point.sequence) }
  }
}
