import EventLog

/// An object that is named as a range. Its content may not match.
struct RangeObject: Sendable, Hashable, Comparable {
  let name: RangeName
  let byteCount: Int64
  var range: EventRange { name.range }
  /// Identifies the object as listed. An incomplete copy of it has another key.
  var key: String { "\(name.text) \(byteCount)" }
  /// The start of an addition that says which events are erased.
  static let erasedMark = ".erased-"
  /// Whether the name says which events are erased.
  var isErased: Bool { name.hasAddition && name.text.contains(Self.erasedMark) }
  /// The name without an addition and its extension.
  var nameStem: String {
    "\(range.device.objectName)_\(range.first)-\(range.last)_\(name.checksum)"
  }

  /// Orders by device and first event, then the longest first, then those with erased events.
  static func < (left: RangeObject, right: RangeObject) -> Bool {
    if left.range.device != right.range.device { return left.range.device < right.range.device }
    let (one, other) = (left.range, right.range)
    if (one.first, one.last) != (other.first, other.last) {
      return (one.first, -one.last) < (other.first, -other.last)
    }
    if left.isErased != right.isErased { return left.isErased }
    if left.name.hasAddition != right.name.hasAddition { return right.name.hasAddition }
    return left.name.text.precedes(right.name.text)
  }
}
