package import EventLog

/// The format's rules for JSON values, implemented a second time in a simple and slow way.
package enum ReferenceValue {
  /// Returns the same text for equal values, however they are spelled.
  package static func identity(_ value: JSONValue) -> String {
    switch value {
    case .null: return "null"
    case .bool(let flag): return flag ? "true" : "false"
    case .number(let number): return decimal(number.text)
    case .string(let text): return "\"" + text.utf8.map { "\($0)" }.joined(separator: ",") + "\""
    case .array(let values): return "[" + values.map(identity).joined(separator: ",") + "]"
    case .object(let object):
      let members = object.members.map { identity(.string($0.name)) + ":" + identity($0.value) }
      return "{" + members.sorted().joined(separator: ",") + "}"
    }
  }

  /// Whether two texts have the same bytes; `==` compares by canonical equivalence.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  /// Returns the text with each non-ASCII byte spelled like `<c3>`, which makes bytes comparable.
  package static func plain(_ text: String) -> String {
    text.utf8.map { byte in
      byte < 0x80 ? String(UnicodeScalar(byte)) : "<\(String(byte, radix: 16))>"
    }
    .joined()
  }

  /// Returns the text before ``plain(_:)``, if it contained no `<`.
  package static func fromPlain(_ text: String) -> String {
    let parts = text.split(separator: "<", omittingEmptySubsequences: false)
    let bytes = parts.dropFirst().flatMap {
      [UInt8($0.prefix(2), radix: 16)!] + $0.dropFirst(3).utf8
    }
    return String(decoding: Array(parts[0].utf8) + bytes, as: UTF8.self)
  }

  /// Returns `±digits^exponent`, without leading and trailing zeros of the digits.
  private static func decimal(_ text: String) -> String {
    let parts = text.lowercased().split(separator: "e")
    var exponent: Int128 = parts.count > 1 ? Int128(parts[1])! : 0
    let isNegative = parts[0].hasPrefix("-")
    let halves = parts[0].drop { $0 == "-" }.split(separator: ".")
    if halves.count > 1 { exponent -= Int128(halves[1].count) }
    var digits = Substring(halves.joined().drop { $0 == "0" })
    while digits.last == "0" {
      digits = digits.dropLast()
      exponent += 1
    }
    return digits.isEmpty ? "0" : "\(isNegative ? "-" : "+")\(digits)^\(exponent)"
  }

  package static func string(_ value: JSONValue) -> String? {
    if case .string(let text) = value { text } else { nil }
  }

  /// Returns the texts in an array, without its other elements; none for any other value.
  package static func texts(_ value: JSONValue) -> [String] {
    if case .array(let values) = value { values.compactMap(string) } else { [] }
  }

  /// Returns the value of a number without fraction and exponent.
  package static func integer(_ value: JSONValue) -> Int64? {
    if case .number(let number) = value { Int64(number.text) } else { nil }
  }

  /// Returns the millionths of a number that a counter can count, or nil for any other value.
  package static func amount(_ value: JSONValue) -> Int128? {
    if case .number(let number) = value { amount(number.text) } else { nil }
  }

  /// Whether a value is an amount between a bound and 10^9.
  package static func isAmount(_ value: JSONValue, from least: Int128) -> Bool {
    amount(value).map { (least * 1_000_000...1_000_000_000_000_000).contains($0) } ?? false
  }

  static func amount(_ text: String) -> Int128? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let digits = parts.count > 1 ? parts[1] : ""
    guard digits.count <= 6, !text.contains("e"), !text.contains("E") else { return nil }
    return Int128(parts[0] + digits + String(repeating: "0", count: 6 - digits.count))
  }

  /// Returns the number with this many millionths.
  static func number(_ millionths: Int128) -> JSONValue {
    var text = String(millionths)
    while text.count < 7 { text = "0" + text }
    text.insert(".", at: text.index(text.endIndex, offsetBy: -6))
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return .number(JSONNumber(trusted: text))
  }

  package static func isQuantity(_ value: JSONValue) -> Bool {
    guard case .number(let number) = value else { return false }
    return !decimal(number.text).hasPrefix("-")
  }

  package static func date(_ value: JSONValue) -> String? {
    guard let text = string(value), text.utf8.count == 10 else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2],
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
    return text
  }

  package static func isSchedule(_ value: JSONValue) -> Bool {
    guard let text = string(value) else { return false }
    return (1...366).contains { days in
      text.hasSuffix("/\(days)") && (1...days).contains { text == "\($0)/\(days)" }
    }
  }
}
