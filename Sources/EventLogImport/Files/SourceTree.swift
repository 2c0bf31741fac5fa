package import EventLog

/// A value of a source: JSON, or a point in time or bytes, which only property lists have.
package enum SourceTree: Sendable {
  case json(JSONValue)
  case moment(Timestamp)
  /// Data of a property list. A slice, because objects of a hostile file may share its bytes.
  case bytes(ArraySlice<UInt8>)
  case list([SourceTree])
  case members([(name: String, value: SourceTree)])

  /// The nesting limit, lower than that of a line, because the value is nested in an event.
  static let depthMax = 60

  /// The maximum number of values of a table or of JSON.
  static let valuesMax = 4_000_000

  init(_ value: JSONValue) {
    switch value {
    case .array(let values): self = .list(values.map { SourceTree($0) })
    case .object(let object): self = .members(object.members.map { ($0.name, .init($0.value)) })
    default: self = .json(value)
    }
  }

  /// Returns the value as JSON, with points in time in UTC.
  ///
  /// Returns nil if it contains bytes that aren't JSON or a number out of range, or exceeds the
  /// nesting or length limit of an event.
  func json() -> JSONValue? {
    // Shared objects make a value much longer than the file.
    var bytesLeft = LineLimits.lineBytesMax
    return json(depth: Self.depthMax, &bytesLeft)
  }

  private func json(depth: Int, _ bytesLeft: inout Int) -> JSONValue? {
    bytesLeft -= 1
    if case .json(.string(let text)) = self { bytesLeft -= text.utf8.count }
    if depth < 0 || bytesLeft < 0 { return nil }
    switch self {
    case .json(.number(let number)) where PlainNumber.double(number.text) == nil: return nil
    case .json(let value): return value
    case .moment(let time): return .string(time.description)
    case .bytes(let bytes):
      // JSON that an app has stored as data.
      bytesLeft -= bytes.count
      guard bytesLeft >= 0, let value = try? JSONValue(parsing: bytes) else { return nil }
      return Self(value).json(depth: depth, &bytesLeft)
    case .list(let trees):
      var values: [JSONValue] = []
      for tree in trees {
        guard let value = tree.json(depth: depth - 1, &bytesLeft) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .members(let members):
      var object: [JSONObject.Member] = []
      for (name, tree) in members {
        bytesLeft -= name.utf8.count
        guard let value = tree.json(depth: depth - 1, &bytesLeft) else { return nil }
        object.append(.init(name: name, value: value))
      }
      return .object(JSONObject(object))
    }
  }

  /// The value, or that of the JSON that its bytes are.
  var opened: SourceTree {
    guard case .bytes(let bytes) = self, let value = try? JSONValue(parsing: bytes),
      value.holdsAtMost(Self.valuesMax)
    else { return self }
    return SourceTree(value)
  }

  /// Whether the value is `null` or an empty cell of a table.
  var isEmpty: Bool {
    switch self {
    case .json(.null): true
    case .json(.string(let text)): text.isEmpty
    default: false
    }
  }
}

extension JSONValue {
  /// Whether the value contains at most `count` values.
  func holdsAtMost(_ count: Int) -> Bool {
    var left = count
    return counts(into: &left)
  }

  /// Whether at most `left` values are in it, which are subtracted.
  func counts(into left: inout Int) -> Bool {
    left -= 1
    switch self {
    case .array(let values): return left >= 0 && values.allSatisfy { $0.counts(into: &left) }
    case .object(let object):
      return left >= 0 && object.members.allSatisfy { $0.value.counts(into: &left) }
    default: return left >= 0
    }
  }
}
