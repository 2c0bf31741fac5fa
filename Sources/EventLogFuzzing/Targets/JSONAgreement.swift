import EventLog
import EventLogTesting
import Foundation

/// A text is JSON to the library if and only if it is to Foundation, with the same content.
///
/// The exceptions are rules of the format, and each is checked by its cause:
///
/// | text | library | Foundation |
/// |---|---|---|
/// | begins with a byte-order mark | refused | read |
/// | is UTF-16 or UTF-32 | refused | read |
/// | is nested deeper than 64 | refused | read, up to 512 |
/// | has a comma after the last element or member | refused | read |
/// | has one name twice in an object | refused | read, one of them counts |
/// | has two names that differ by normalization only | read | read, one of them counts |
/// | has a string with U+FEFF at its beginning or after an escape | read | read without it |
/// | has a number beyond the range of a `Double` | read, as it is spelled | refused |
enum JSONAgreement {
  static func check(_ text: [UInt8]) throws(Finding) {
    let foreign = try? JSONSerialization.jsonObject(
      with: Data(text), options: [.fragmentsAllowed])
    let own: JSONValue
    do throws(LineFault) { own = try JSONValue(parsing: text) } catch {
      guard let foreign else { return }
      let strict = withoutLastCommas(text)
      if strict.count < text.count { return try check(strict) }
      try Finding.require(
        isRefusalOfOurs(error.code, text, foreign),
        "It \(error.clause) (byte \(error.byte)), but to Foundation it is \(foreign).")
      return
    }
    let reread = try? JSONValue(parsing: own.text.utf8)
    try Finding.require(
      reread == own && reread?.text == own.text, "\(own) is not read as it is written.")
    guard let foreign else {
      return try Finding.require(isBeyondDouble(own), "\(own), but none to Foundation.")
    }
    if let difference = difference(own, foreign) { throw Finding(difference) }
  }

  // MARK: - Texts that only Foundation reads

  private static func isRefusalOfOurs(
    _ code: LineFault.Code, _ text: [UInt8], _ foreign: Any
  ) -> Bool {
    if isOtherEncoding(text) { return true }
    return switch code {
    case .byteOrderMark: text.starts(with: [0xEF, 0xBB, 0xBF])
    // If a name occurs twice, Foundation may drop the deeper value.
    case .tooDeep: depth(text) > LineLimits.depthMax
    case .duplicateMember:
      memberCount(foreign) < outsideStrings(text).count { $0 == UInt8(ascii: ":") }
    default: false
    }
  }

  /// Detects encodings by a byte-order mark, or by zeros among the first four bytes (RFC 4627).
  private static func isOtherEncoding(_ text: [UInt8]) -> Bool {
    text.prefix(4).contains(0) || text.starts(with: [0xFF, 0xFE])
      || text.starts(with: [0xFE, 0xFF])
  }

  /// Returns the text without commas before a closing bracket.
  private static func withoutLastCommas(_ text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var comma: Int?
    var (isInString, isEscaped) = (false, false)
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
      }
      if !isInString {
        switch byte {
        case UInt8(ascii: ","): comma = output.count
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          if let index = comma { output.remove(at: index) }
          comma = nil
        case 0x20, 0x09, 0x0A, 0x0D: break
        default: comma = nil
        }
      } else {
        comma = nil
      }
      output.append(byte)
    }
    return output
  }

  /// Returns the nesting depth of a JSON text.
  private static func depth(_ text: [UInt8]) -> Int {
    var (depth, most) = (0, 0)
    for byte in outsideStrings(text) {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      most = max(most, depth)
    }
    return most
  }

  private static func memberCount(_ value: Any) -> Int {
    switch value {
    case let values as [Any]: values.reduce(0) { $0 + memberCount($1) }
    case let members as [String: Any]: members.values.reduce(members.count) { $0 + memberCount($1) }
    default: 0
    }
  }

  /// Returns the bytes of a JSON text outside strings.
  private static func outsideStrings(_ text: [UInt8]) -> [UInt8] {
    var (isInString, isEscaped) = (false, false)
    return text.filter { byte in
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
      } else {
        return true
      }
      return false
    }
  }

  // MARK: - Differences

  private static func isBeyondDouble(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): number.double.isInfinite
    case .array(let values): values.contains(where: isBeyondDouble)
    case .object(let object): object.members.contains { isBeyondDouble($0.value) }
    default: false
    }
  }

  /// Returns the first difference between both readings, or nil if they are equal.
  private static func difference(_ value: JSONValue, _ foreign: Any) -> String? {
    let isSame: Bool
    switch value {
    case .null: isSame = foreign is NSNull
    case .bool(let flag): isSame = (foreign as? NSNumber)?.boolValue == flag
    case .number(let number): isSame = self.isSame(number, (foreign as? NSNumber)?.doubleValue)
    case .string(let text):
      isSame =
        (foreign as? String).map { other in
          text.hasBytes(of: other)
            || withoutMarks(text).utf8.elementsEqual(withoutMarks(other).utf8)
        } ?? false
    case .array(let values):
      let others = foreign as? [Any]
      if let others, others.count == values.count {
        return zip(values, others).lazy.compactMap { difference($0, $1) }.first
      }
      isSame = false
    case .object(let object):
      // In a dictionary of strings, names with the same normalization are one.
      let members = Dictionary(grouping: object.members) { withoutMarks($0.name) }
      let others = (foreign as? [String: Any]).map { object in
        Dictionary(grouping: object) { withoutMarks($0.key) }
      }
      if let others, others.count == members.count {
        return members.lazy.compactMap { difference($1, others[$0]?.map(\.value) ?? []) }.first
      }
      isSame = false
    }
    return isSame ? nil : "\(value.text), but to Foundation it is \(foreign)."
  }

  /// Returns a difference unless each of Foundation's values belongs to one of these members.
  private static func difference(_ members: [JSONObject.Member], _ others: [Any]) -> String? {
    if others.isEmpty { return "To Foundation there is no member \(members[0].name)." }
    return others.lazy.compactMap { other in
      let differences = members.compactMap { difference($0.value, other) }
      return differences.count == members.count ? differences[0] : nil
    }.first
  }

  private static func withoutMarks(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
  }

  private static func isSame(_ number: JSONNumber, _ other: Double?) -> Bool {
    guard let other else { return false }
    let double = number.double
    return other == double || abs(other - double) <= abs(double) * 1e-15 + .leastNormalMagnitude
  }
}
