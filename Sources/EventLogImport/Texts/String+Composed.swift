package import EventLog

#if canImport(FoundationEssentials)
  // Elsewhere, Foundation has it; loading all of Foundation would slow down each start.
  @_spi(_Unicode) import Swift
#else
  import Foundation
#endif

extension String {
  /// The text in normalization form C, in which texts that look the same have the same bytes.
  package var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    #if canImport(FoundationEssentials)
      var text = ""
      text.unicodeScalars.append(contentsOf: _nfc)
      return text
    #else
      return precomposedStringWithCanonicalMapping
    #endif
  }
}

extension JSONValue {
  /// The value with all its texts in normalization form C, also the names of members.
  package var composed: JSONValue {
    switch self {
    case .string(let text): .string(text.composed)
    case .array(let values): .array(values.map(\.composed))
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { .init(name: $0.name.composed, value: $0.value.composed) }))
    default: self
    }
  }
}
