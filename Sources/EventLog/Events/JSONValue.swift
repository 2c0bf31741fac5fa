/// Any JSON value, with the writer's order of members and spelling of numbers.
///
/// Equality is that of the journal format: strings by their UTF-8 bytes (not by Unicode
/// equivalence), numbers by decimal value, objects whatever the order of members.
public indirect enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Reads a JSON text (RFC 8259), strictly.
  ///
  /// - Throws: `LineFault` with the offset of the first byte that does not fit: also for a name
  ///   that one object has twice, nesting over 64, half a surrogate pair, or invalid UTF-8.
  /// - Complexity: O(length).
  public init(parsing text: some Sequence<UInt8>) throws(LineFault) {
    self.init(canonical: try JSONNormalizer.canonical(Array(text))[...])
  }

  /// Reads canonical JSON, as ``CanonicalScanner`` or ``JSONNormalizer`` passed it.
  package init(canonical bytes: ArraySlice<UInt8>) {
    var reader = CanonicalReader(bytes: bytes, index: bytes.startIndex)
    self = reader.value()
  }

  /// Compares strings by bytes, numbers by decimal value, objects whatever the members' order.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what equality compares; of an object only how many members it has.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .array(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object.members.count)
    }
  }

  /// Appends the canonical spelling.
  package func write(to output: inout [UInt8]) {
    switch self {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let value): output += value.text.utf8
    case .string(let value): Self.write(string: value.utf8, to: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        value.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.write(to: &output)
    }
  }

  package static func write(string: some Sequence<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for byte in string { StringSpelling.append(byte, to: &output) }
    output.append(UInt8(ascii: "\""))
  }

  /// The canonical spelling.
  public var text: String {
    var output: [UInt8] = []
    write(to: &output)
    return String(decoding: output, as: UTF8.self)
  }
}

// `nil` is no spelling of `null`: `isRight ? value : nil` would mean `null` where an optional is
// wanted, and a value that was refused would be written as one that was given.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a JSON string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a JSON number, spelled without fraction and exponent.
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an array of the elements, in their order.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Makes an object in the literal's order; of a name that stands twice the last value is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
  }
}

/// The members of a JSON object, in the writer's order.
public struct JSONObject: Sendable, Hashable {
  /// One name and its value.
  public struct Member: Sendable, Hashable {
    /// Any text; its UTF-8 bytes tell it apart from other names.
    public var name: String
    /// Any JSON value, `null` included.
    public var value: JSONValue

    /// Pairs a name with its value.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Names by their bytes, as everywhere: `String ==` would take "é" and "e" + accent for one.
    public static func == (left: Member, right: Member) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }

    /// Hashes the name's bytes and the value.
    public func hash(into hasher: inout Hasher) {
      for byte in name.utf8 { hasher.combine(byte) }
      hasher.combine(value)
    }
  }

  /// No name stands twice.
  public private(set) var members: [Member] = []

  /// Makes an object without members.
  public init() {}

  /// Where a name stands twice, the last value is kept, at the first place.
  public init(_ members: [Member]) {
    for member in members { self[member.name] = member.value }
  }

  package init(distinct members: [Member]) { self.members = members }

  /// The value of `name`; setting nil takes the member out. O(member count).
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
    set {
      let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Compares members by name and value, whatever their order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.members.count == right.members.count else { return false }
    if left.members.count <= 16 {
      return left.members.allSatisfy { right[$0.name] == $0.value }
    }
    var byName: [[UInt8]: JSONValue] = [:]
    for member in right.members { byName[Array(member.name.utf8)] = member.value }
    return left.members.allSatisfy { byName[Array($0.name.utf8)] == $0.value }
  }

  /// Hashes only how many members there are, which does not depend on their order.
  public func hash(into hasher: inout Hasher) { hasher.combine(members.count) }

  package func write(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      JSONValue.write(string: member.name.utf8, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Takes members in the literal's order; of a name that stands twice the last value is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { Member(name: $0.0, value: $0.1) })
  }
}

/// Reads canonical JSON that was checked before; it makes no checks of its own, but never traps:
/// past the end it reads zeros.
private struct CanonicalReader {
  let bytes: ArraySlice<UInt8>
  var index: Int

  var byte: UInt8 { index < bytes.endIndex ? bytes[index] : 0 }

  mutating func value() -> JSONValue {
    switch byte {
    case UInt8(ascii: "{"): return .object(object())
    case UInt8(ascii: "["): return .array(array())
    case UInt8(ascii: "\""): return .string(string())
    case UInt8(ascii: "t"):
      index += 4
      return .bool(true)
    case UInt8(ascii: "f"):
      index += 5
      return .bool(false)
    case UInt8(ascii: "n"):
      index += 4
      return .null
    default:
      let start = index
      while index < bytes.endIndex, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"),
        byte != UInt8(ascii: "]")
      {
        index += 1
      }
      return .number(JSONNumber(trusted: String(decoding: bytes[start..<index], as: UTF8.self)))
    }
  }

  private mutating func object() -> JSONObject {
    var members: [JSONObject.Member] = []
    index += 1
    while index < bytes.endIndex, byte != UInt8(ascii: "}") {
      if byte == UInt8(ascii: ",") { index += 1 }
      let name = string()
      index += 1
      members.append(JSONObject.Member(name: name, value: value()))
    }
    index += 1
    return JSONObject(distinct: members)
  }

  private mutating func array() -> [JSONValue] {
    var values: [JSONValue] = []
    index += 1
    while index < bytes.endIndex, byte != UInt8(ascii: "]") {
      if byte == UInt8(ascii: ",") { index += 1 }
      values.append(value())
    }
    index += 1
    return values
  }

  private mutating func string() -> String {
    index += 1
    let start = index
    while index < bytes.endIndex, byte != UInt8(ascii: "\"") {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    let spelling = bytes[start..<min(index, bytes.endIndex)]
    index += 1
    return String(decoding: StringSpelling.unescaped(spelling), as: UTF8.self)
  }
}
