import EventLog

/// A reader of JSON whose values are nested deeper than in a journal.
///
/// MetricKit nests each frame in the one before. The reader keeps its own stack, so that no depth
/// overflows that of the thread. Numbers that aren't whole become `null`.
struct NestedJSON {
  /// The first byte that isn't JSON, or at which a limit is exceeded.
  struct Fault: Error, Hashable {
    let byte: Int
  }

  static let depthMax = 1024
  /// The maximum number of members of an object, which are compared with each other.
  static let membersMax = 1000

  private enum Container {
    case array([JSONValue])
    case object([JSONObject.Member], name: String)
  }

  private let bytes: [UInt8]
  private var index = 0
  private var containers: [Container] = []

  /// Returns the value of a text.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  static func value(of bytes: [UInt8]) throws(Fault) -> JSONValue {
    var reader = NestedJSON(bytes: bytes)
    let value = try reader.read()
    reader.skipSpaces()
    guard reader.index == bytes.count else { throw Fault(byte: reader.index) }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var fault: Fault { Fault(byte: index) }
  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpaces() {
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
  }

  /// Skips a byte after spaces; false if another one follows.
  private mutating func skip(_ expected: Character) -> Bool {
    skipSpaces()
    guard byte == expected.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func read() throws(Fault) -> JSONValue {
    while true {
      guard var value = try begin() else { continue }
      // A value may end any number of containers.
      while true {
        guard let container = containers.popLast() else { return value }
        guard let ended = try add(value, to: container) else { break }
        value = ended
      }
    }
  }

  /// Reads a value, or opens a container that isn't empty and returns nil.
  private mutating func begin() throws(Fault) -> JSONValue? {
    guard containers.count < Self.depthMax else { throw fault }
    skipSpaces()
    switch byte {
    case UInt8(ascii: "{"):
      index += 1
      if skip("}") { return .object(JSONObject()) }
      containers.append(.object([], name: try name()))
      return nil
    case UInt8(ascii: "["):
      index += 1
      if skip("]") { return .array([]) }
      containers.append(.array([]))
      return nil
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }

  /// Adds a value to its container, and returns the container if it ends.
  private mutating func add(
    _ value: JSONValue, to container: Container
  ) throws(Fault) -> JSONValue? {
    switch container {
    case .array(var values):
      values.append(value)
      if skip("]") { return .array(values) }
      guard skip(",") else { throw fault }
      containers.append(.array(values))
    case .object(var members, let name):
      guard members.count < Self.membersMax else { throw fault }
      members.append(.init(name: name, value: value))
      if skip("}") { return .object(JSONObject(members)) }
      guard skip(",") else { throw fault }
      containers.append(.object(members, name: try self.name()))
    }
    return nil
  }

  private mutating func name() throws(Fault) -> String {
    skipSpaces()
    guard byte == UInt8(ascii: "\"") else { throw fault }
    let name = try string()
    guard skip(":") else { throw fault }
    return name
  }

  /// Reads a string. Only its plain characters matter, so an escape becomes `?`.
  private mutating func string() throws(Fault) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault }
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard self.byte != nil else { throw fault }
      text.append(self.byte == UInt8(ascii: "/") ? UInt8(ascii: "/") : UInt8(ascii: "?"))
      index += 1
    }
    guard byte != nil else { throw fault }
    index += 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func word() throws(Fault) -> JSONValue {
    let start = index
    while let byte, byte > 0x20, !Array(",]}[{:\"".utf8).contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default:
      guard let first = text.utf8.first, (0x30...0x39).contains(first) || first == 0x2D else {
        throw Fault(byte: start)
      }
      return Int64(text).map { .number(JSONNumber($0)) } ?? .null
    }
  }
}
