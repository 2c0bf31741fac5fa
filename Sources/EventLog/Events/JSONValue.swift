/// A JSON value that preserves the order of members and the spelling of numbers.
///
/// Two values are equal as the journal format defines it: strings by their UTF-8 bytes instead of
/// Unicode equivalence, numbers by their decimal value, and objects regardless of the order of
/// their members.
public indirect enum JSONValue: Sendable, Hashable {
  /// The value `null`.
  case null
  /// The value `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)

  /// Creates a value by parsing JSON text (RFC 8259).
  ///
  /// - Parameter text: The UTF-8 bytes of the text.
  /// - Throws: A ``LineFault`` with the offset of the first invalid byte. Duplicate names in an
  ///   object, nesting deeper than 64, half of a surrogate pair, and invalid UTF-8 are also errors.
  /// - Complexity: O(*n*), where *n* is the length of the text.
  public init(parsing text: some Sequence<UInt8>) throws(LineFault) {
    self.init(canonical: try JSONNormalizer.canonical(Array(text))[...])
  }

  /// Reads canonical JSON that ``CanonicalScanner`` or ``JSONNormalizer`` has accepted.
  package init(canonical bytes: ArraySlice<UInt8>) {
    var reader = CanonicalReader(bytes: bytes, index: bytes.startIndex)
    self = reader.value()
  }

  /// Returns whether two values are equal: strings by bytes, numbers by decimal value, and objects
  /// regardless of the order of their members.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasBytes(of: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the value, regardless of the order of an object's members.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .array(let values): hasher.combine(values)
    case .object(let object): hasher.combine(object)
    }
  }

  /// Appends the canonical spelling.
  package func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(literal: "null")
    case .bool(let value): output.append(literal: value ? "true" : "false")
    case .number(let value): output.append(text: value.text)
    case .string(let value): Self.write(string: value.utf8, to: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      var isFirst = true
      for value in values {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        value.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.write(to: &output)
    }
  }

  package static func write(string: some Sequence<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    StringSpelling.append(string, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// An object with its names in byte order, as in every `--json` output.
  package static func sorted(_ members: [JSONObject.Member]) -> JSONValue {
    .object(
      JSONObject(members.sorted { $0.name.precedes($1.name) }))
  }

  /// The canonical spelling of the value as JSON text, with quotes around a string.
  public var text: String { String(writing: write(to:)) }
}

extension JSONValue: CustomStringConvertible {
  /// The value as plain text: a string without quotes and escapes, anything else like ``text``.
  public var description: String {
    if case .string(let text) = self { text } else { text }
  }
}

// `nil` can't be a literal for `null`: in place of an optional, `isValid ? value : nil` would mean
// `null`, and a rejected value would be written as `null`.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a JSON string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a JSON number that is spelled without a fraction and exponent.
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
  /// Creates the value `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a JSON array of the elements.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates a JSON object with the members in the order of the literal.
  ///
  /// If a name occurs more than once, the object contains the last of its values.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
  }
}

/// Reads canonical JSON that was already checked.
///
/// It makes no checks of its own, but never traps: after the end, it reads zeros.
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
      while index < bytes.endIndex {
        let byte = bytes[index]
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          break
        }
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
    let start = min(index + 1, bytes.endIndex)
    let end = StringSpelling.end(of: bytes[start..<bytes.endIndex])
    index = end + 1
    return StringSpelling.text(bytes[start..<end])
  }
}
