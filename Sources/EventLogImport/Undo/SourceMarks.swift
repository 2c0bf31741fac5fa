import EventLog
import EventLogUndo

/// The sources of a journal, and the undos of their imports.
///
/// A `device.undone` event follows the events of such an undo as a mark. It states the source, and
/// how many of its device's preceding events belong to the undo.
struct SourceMarks: Sendable {
  /// A mark: the statement of a `device.undone` event.
  struct Mark: Sendable {
    var point: Ledger.Point
    var source: ImportSource
    /// Whether the undo hides what the source had said. Otherwise, it was undone itself.
    var hides: Bool
    /// The number of marked events, which directly precede the mark in its device's history.
    var count: Int64
  }

  /// All marks, in reading order.
  let marks: [Mark]
  /// The marks that no later mark has reversed.
  let open: [Mark]
  /// The devices of each source.
  let devices: [ImportSource: Set<DeviceID>]
  let ledger: Ledger

  /// - Parameter marks: The marks in reading order, so that each follows those that it has seen.
  init(_ marks: [Mark], _ devices: [ImportSource: Set<DeviceID>], _ ledger: Ledger) {
    (self.marks, self.devices, self.ledger) = (marks, devices, ledger)
    var open: [Mark] = []
    for mark in marks {
      if !mark.hides {
        open.removeAll { $0.source == mark.source && ledger.hasSeen(mark.point, $0.point) }
      } else {
        open.append(mark)
      }
    }
    self.open = open
  }

  /// The marked events: what the undos wrote, in place of people.
  var events: [EventRange] {
    marks.compactMap { ledger.marked(by: $0.point, count: $0.count) }
  }

  /// The events of all sources but some that open marks have seen, and that count as not said.
  func unsaid(exceptOf sources: Set<ImportSource>) -> [EventRange] {
    open.filter { !sources.contains($0.source) }.flatMap { mark in
      ledger.tips(of: mark.source).compactMap { tip -> EventRange? in
        var event = ledger.locate(tip)
        while let point = event, !ledger.hasSeen(mark.point, point) { event = ledger.before(point) }
        return event.map { EventRange(from: 1, to: ledger.fullID($0)) }
      }
    }
  }

  /// The sources with a name: `defaults`, or `defaults-account` for one place of it.
  func sources(named name: String) -> [ImportSource] {
    devices.keys.filter { $0.name.hasBytes(of: name) || $0.text.hasBytes(of: name) }
      .sorted { $0.text.precedes($1.text) }
  }

  /// Whether an undo has hidden all that a source has said.
  func isHidden(_ source: ImportSource) -> Bool {
    let tips = ledger.tips(of: source).compactMap { ledger.locate($0) }
    return tips.allSatisfy { tip in
      open.contains { $0.source == source && ledger.hasSeen($0.point, tip) }
    }
  }

  /// Whether the writer of an event had seen a mark.
  func isSeen(_ mark: Mark, by event: FullEventID?) -> Bool {
    event.flatMap { ledger.locate($0) }.map { ledger.hasSeen($0, mark.point) } ?? false
  }

  /// Returns the marks of the undos that deleted a hidden entity.
  ///
  /// Returns nil if the entity is visible, or if a live deletion isn't the event of an undo.
  func marks(deleting entity: EntityID, in state: Snapshot, _ undoEvents: LeftOutWrites) -> [Mark]?
  {
    let (fold, other) = (state.fold, state.ledger)
    guard let index = fold.entityNames.find(entity.description).map({ Int32($0) }),
      fold.presences.isHidden(index)
    else { return nil }
    var found: [Mark] = []
    for deletion in fold.presences.liveDeletions(index).map(\.dot.point) {
      guard undoEvents.isUndo(deletion, of: other),
        let point = ledger.translated(deletion, from: other)
      else { return nil }
      let device = ledger.device(of: Int(point.branch))
      // The marks are in reading order, so the first one ends the undo of the deletion.
      let mark = marks.first {
        ledger.device(of: Int($0.point.branch)) == device && ledger.hasSeen($0.point, point)
      }
      guard let mark else { return nil }
      found.append(mark)
    }
    return found
  }

  /// Returns a test for the events of undos, which people haven't written.
  func undoEvents() -> LeftOutWrites {
    LeftOutWrites(
      of: [], added: [], undos: events, in: ledger, isRepeated: false, mark: UndoMark { _, _ in [] }
    )
  }
}

extension ImportSource {
  /// The name of its devices.
  var text: String { place.isEmpty ? name : "\(name)-\(place)" }
}

private struct SourceMarkSink: EventSink {
  private(set) var marks: [SourceMarks.Mark] = []
  private(set) var devices: [ImportSource: Set<DeviceID>] = [:]

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard layout.version == 1 else { return }
    let isFirst = layout.sequence == 1 && ledger.isSource(Int32(branch))
    guard isFirst || canonical.matches(layout.type, "device.undone"),
      let name = Ledger.text("source", of: layout, in: canonical), !name.isEmpty
    else { return }
    let place = Ledger.text("place", of: layout, in: canonical) ?? ""
    let source = ImportSource(name: name, place: place)
    if isFirst {
      devices[source, default: []].insert(ledger.device(of: branch))
      return
    }
    guard let mark = HidingMark(of: layout, in: canonical) else { return }
    marks.append(
      .init(
        point: .init(branch: Int32(branch), sequence: layout.sequence), source: source,
        hides: mark.hides, count: mark.count))
  }
}

extension Journal {
  /// Reads the sources and the undos of their imports.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the file.
  func sourceMarks() throws(EventLogError) -> SourceMarks {
    var sink = SourceMarkSink()
    let ledger = try read(into: &sink)
    return SourceMarks(sink.marks, sink.devices, ledger)
  }
}

extension UndoMark {
  /// Creates the marks of events that hide what sources have said.
  static func imports(of sources: [ImportSource]) -> UndoMark {
    UndoMark { count, isReversed in
      sources.enumerated().map { index, source in
        // The count includes the marks of the preceding sources.
        var members = [HidingMark.member(hides: !isReversed, count: count + index)]
        if !source.place.isEmpty {
          members.append(.init(name: "place", value: .string(source.place)))
        }
        members.append(.init(name: "source", value: .string(source.name)))
        return EventDraft(type: "device.undone", data: JSONObject(members))
      }
    }
  }
}
