package import EventLog

/// The statement of a mark, an event that follows the events of an undo.
///
/// Its data state how many of its device's directly preceding events belong to the undo: `hides` if
/// they hide the writes of some devices, and `shows` if they show them again.
package struct HidingMark: Sendable {
  /// Whether the marked events hide the writes. Otherwise, they show them again.
  package let hides: Bool
  /// The number of marked events.
  package let count: Int64

  /// Returns nil if the event's data have neither member, or no possible count.
  package init?(of layout: LineLayout, in canonical: Span<UInt8>) {
    guard case .object(let data) = JSONValue(canonical: canonical.copy(layout.data)[...]) else {
      return nil
    }
    for (member, hides) in [("hides", true), ("shows", false)] {
      guard case .number(let number)? = data[member], let count = number.integer,
        (0..<layout.sequence).contains(count)
      else { continue }
      (self.hides, self.count) = (hides, count)
      return
    }
    return nil
  }

  /// Returns the member of the data that states the mark.
  package static func member(hides: Bool, count: Int) -> JSONObject.Member {
    .init(name: hides ? "hides" : "shows", value: .number(JSONNumber(Int64(count))))
  }
}

extension Ledger {
  /// Returns the marked events of a mark, or nil if they aren't all in the journal.
  package func marked(by mark: Ledger.Point, count: Int64) -> EventRange? {
    let first = mark.sequence - count
    guard let last = before(mark), last.sequence >= first else { return nil }
    return EventRange(from: first, to: fullID(last))
  }
}
