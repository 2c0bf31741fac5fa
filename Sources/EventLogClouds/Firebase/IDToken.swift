import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a Firebase ID token says: who it is for, and until when.
///
/// Its signature isn't checked. Whoever is asked with it checks that; here it comes from the server
/// that signed it.
struct IDToken: Sendable, Hashable {
  let text: String
  let user: String
  let project: String
  let isAnonymous: Bool
  /// The end of its life by the server's clock, in milliseconds since 1970.
  let end: Int64

  /// Reads a token; nil for a text that is none.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = Self.object(parts[1]),
      case .string(let user)? = claims["sub"], !user.isEmpty,
      case .string(let project)? = claims["aud"], case .number(let end)? = claims["exp"],
      let seconds = end.integer, (0...253_402_300_799).contains(seconds)
    else { return nil }
    (self.text, self.user, self.project, self.end) = (text, user, project, seconds * 1000)
    isAnonymous = claims["firebase"]?["sign_in_provider"] == .string("anonymous")
  }

  private static func object(_ part: Substring) -> JSONValue? {
    var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text).flatMap { try? JSONValue(parsing: [UInt8]($0)) }
  }
}
