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
  package init(
    of devices: Set<DeviceID>, added: Set<DeviceID>, undos: [EventRange], in ledger: Ledger,
    isRepeated: Bool, mark: UndoMark
  ) {
    (self.devices, self.added, self.ledger) = (devices, added, ledger)
    (self.isRepeated, self.mark) = (isRepeated, mark)
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
  func isUndo(_ event: Ledger.Point, of other: Ledger) -> Bool {
    if undos.isEmpty { return false }
    guard let point = ledger.translated(event, from: other), let ranges = undos[point.branch]
    else { return false }
    return ranges.contains { $0.contains(point.sequence) }
  }
}

/// Events that follow the events of an undo, and mark them as an undo.
package struct UndoMark: Sendable {
  /// Returns the events that follow `count` events of an undo, or of the undo of that undo.
  private let drafts: @Sendable (_ count: Int, _ isReversed: Bool) -> [EventDraft]
  private var isReversed = false

  package init(_ drafts: @escaping @Sendable (_ count: Int, _ isReversed: Bool) -> [EventDraft]) {
    self.drafts = drafts
  }

  /// The mark of an undo that undoes the marked one.
  var reversed: UndoMark {
    var mark = self
    mark.isReversed.toggle()
    return mark
  }

  /// Adds the mark of an undo that the batch contains.
  ///
  /// - Throws: The errors of ``JournalBatch/add(_:hasMore:)``.
  func add(
    to batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt
  ) throws(EventLogError) {
    for draft in drafts(receipt.appended.count, isReversed) { _ = try batch.add(draft) }
    receipt.mark = self
  }
}
