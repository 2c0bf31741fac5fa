import EventLog

#if canImport(FoundationEssentials)
  // Elsewhere, Foundation has it; loading all of Foundation would slow down each start.
  @_spi(_Unicode) import Swift
#else
  import Foundation
#endif

extension String {
  /// The text as it is, composed (NFC) and decomposed (NFD): all look the same.
  var normalizations: [String] {
    if utf8.allSatisfy({ $0 < 0x80 }) { return [self] }
    #if canImport(FoundationEssentials)
      var (composed, decomposed) = ("", "")
      composed.unicodeScalars.append(contentsOf: _nfc)
      decomposed.unicodeScalars.append(contentsOf: _nfd)
      return [self, composed, decomposed]
    #else
      return [self, precomposedStringWithCanonicalMapping, decomposedStringWithCanonicalMapping]
    #endif
  }
}
