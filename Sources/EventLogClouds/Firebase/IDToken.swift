import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The claims of a Firebase ID token.
///
/// The signature isn't checked: tokens come directly from the server that signs them, and the
/// servers that receive them check it.
struct IDToken: Sendable, Hashable {
  let text: String
  let user: String
  let project: String
  let isAnonymous: Bool
  /// The expiry time by the server's clock, in milliseconds since 1970.
  let expiry: Int64

  /// Parses a token. Nil if the text isn't one.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let claims = Self.object(parts[1]),
      case .string(let user)? = claims["sub"], !user.isEmpty,
      case .string(let project)? = claims["aud"], case .number(let end)? = claims["exp"],
      let seconds = end.integer, (0...253_402_300_799).contains(seconds)
    else { return nil }
    (self.text, self.user, self.project, self.expiry) = (text, user, project, seconds * 1000)
    isAnonymous = claims["firebase"]?["sign_in_provider"] == .string("anonymous")
  }

  private static func object(_ part: Substring) -> JSONValue? {
    var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: text).flatMap { try? JSONValue(parsing: [UInt8]($0)) }
  }
}
