import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a terminal signs in to Firestore.
struct FirestoreLogin: Sendable {
  /// `HOST:PORT` of an emulator.
  let emulator: String?
  private let user: String
  private let project: String

  init(project: String, user: String, _ environment: CloudEnvironment) {
    (self.project, self.user) = (project, user)
    emulator = environment.variable("FIRESTORE_EMULATOR_HOST")
  }

  /// A token of the user.
  func token(_ isRejected: Bool) async throws(EventLogError) -> String {
    if emulator != nil { return emulatorToken }
    throw EventLogError(
      .usage, "Nobody is signed in to the project \"\(SafeText.quote(project))\".",
      hint: "The command reaches Firestore's emulator only: set FIRESTORE_EMULATOR_HOST. Apps pass"
        + " FirestoreStorage the token of the user who is signed in.")
  }

  /// A token without a signature: an emulator believes it, and nobody else.
  private var emulatorToken: String {
    var claims: [UInt8] = []
    let object: JSONObject = [
      "sub": .string(user), "user_id": .string(user), "aud": .string(project),
      "iss": .string("https://securetoken.google.com/\(project)"), "iat": 0,
      "exp": 4_102_444_800, "auth_time": 0,
    ]
    object.write(to: &claims)
    return Self.base64URL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8)) + "."
      + Self.base64URL(claims) + "."
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
