import EventLog

/// The stored part of a sign-in, which is enough to renew it.
struct FirebaseCredential: Sendable, Hashable {
  var project: String
  var user: String
  var isAnonymous: Bool
  var refreshToken: String
  /// The project's web API key, which isn't secret.
  var apiKey: String

  var bytes: [UInt8] {
    let object: JSONObject = [
      "apiKey": .string(apiKey), "isAnonymous": .bool(isAnonymous), "project": .string(project),
      "refreshToken": .string(refreshToken), "user": .string(user),
    ]
    var bytes: [UInt8] = []
    object.write(to: &bytes)
    return bytes
  }
}

extension FirebaseCredential {
  /// Parses stored bytes. Nil if they aren't a sign-in.
  init?(_ bytes: [UInt8]) {
    guard let object = try? JSONValue(parsing: bytes),
      case .string(let project)? = object["project"], case .string(let user)? = object["user"],
      case .string(let token)? = object["refreshToken"], case .string(let key)? = object["apiKey"],
      case .bool(let isAnonymous)? = object["isAnonymous"], !token.isEmpty, !user.isEmpty
    else { return nil }
    self.init(
      project: project, user: user, isAnonymous: isAnonymous, refreshToken: token, apiKey: key)
  }
}
