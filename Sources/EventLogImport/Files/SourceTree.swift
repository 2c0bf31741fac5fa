import EventLog

/// What a source holds: JSON, and the points in time and bytes that only a property list has.
indirect enum SourceTree: Sendable {
  case json(JSONValue)
  case moment(Timestamp)
  case bytes
  case list([SourceTree])
  case members([(name: String, value: SourceTree)])

  /// How deep lists and dictionaries may be nested: the value stands inside an event, which has the
  /// limit of the journal.
  static let depthMax = 60

  init(_ value: JSONValue) {
    switch value {
    case .array(let values): self = .list(values.map { SourceTree($0) })
    case .object(let object): self = .members(object.members.map { ($0.name, .init($0.value)) })
    default: self = .json(value)
    }
  }

  /// The value as JSON, points in time in UTC; nil where there are bytes in it, or it is deeper
  /// than an event may be.
  func json(depth: Int = SourceTree.depthMax) -> JSONValue? {
    if depth < 0 { return nil }
    switch self {
    case .json(let value): return value
    case .moment(let time): return .string(time.description)
    case .bytes: return nil
    case .list(let trees):
      var values: [JSONValue] = []
      for tree in trees {
        guard let value = tree.json(depth: depth - 1) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .members(let members):
      var object: [JSONObject.Member] = []
      for (name, tree) in members {
        guard let value = tree.json(depth: depth - 1) else { return nil }
        object.append(.init(name: name, value: value))
      }
      return .object(JSONObject(object))
    }
  }

  /// Whether it is nothing: `null`, or the empty cell of a table.
  var isEmpty: Bool {
    switch self {
    case .json(.null): true
    case .json(.string(let text)): text.isEmpty
    default: false
    }
  }
}
