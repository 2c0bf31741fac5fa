import EventLog

/// An object that is named as a range. Its content may not match.
struct RangeObject: Sendable, Hashable, Comparable {
  let name: RangeName
  let byteCount: Int64
  var range: EventRange { name.range }
  /// Identifies the object as listed. An incomplete copy of it has another key.
  var key: String { "\(name.text) \(byteCount)" }

  /// Orders by device and first event, then the longest first.
  static func < (left: RangeObject, right: RangeObject) -> Bool {
    if left.range.device != right.range.device { return left.range.device < right.range.device }
    let (one, other) = (left.range, right.range)
    if (one.first, one.last) != (other.first, other.last) {
      return (one.first, -one.last) < (other.first, -other.last)
    }
    if left.name.hasAddition != right.name.hasAddition { return right.name.hasAddition }
    return left.name.text.precedes(right.name.text)
  }
}
