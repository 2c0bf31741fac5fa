import EventLog

/// The error codes of Firebase Auth.
///
/// Errors contain only known codes. Other parts of a response may repeat a token, a password or an
/// address from the request.
struct FirebaseService: CloudService {
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest { request }

  /// The first word of the message, as in `WEAK_PASSWORD : Password should be…`.
  func errorCode(of response: HTTPResponse) -> String? {
    guard response.status >= 300, let error = (try? JSONValue(parsing: response.body))?["error"],
      case .string(let message)? = error["message"]
    else { return nil }
    if message.hasPrefix("API key") { return Self.invalidKey }
    return Self.known(message)
  }

  /// The first word of a message, if it is one of Firebase's error codes.
  static func known(_ message: String) -> String? {
    let code = String(message.prefix { $0 == "_" || $0.isASCII && $0.isUppercase })
    return meanings[code] == nil ? nil : code
  }

  func failure(_ kind: ResponseClass, _ response: HTTPResponse) -> CloudFailure {
    Self.failure(
      kind, "it answered \(response.status)", errorCode(of: response),
      retryAfter: response.retryAfter)
  }

  static func failure(
    _ kind: ResponseClass, _ reason: String, _ code: String?, retryAfter: Duration? = nil
  ) -> CloudFailure {
    let meaning = code.flatMap { meanings[$0] }
    var failure = CloudFailure(
      meaning?.kind ?? kind, reason + (code.map { " (\($0))" } ?? ""), serviceCode: code,
      retryAfter: retryAfter, hint: meaning?.hint)
    // Firebase counts the attempts, so an early retry would prolong the block.
    if code == "TOO_MANY_ATTEMPTS_TRY_LATER" {
      failure.retryAfter = max(retryAfter ?? .zero, .seconds(300))
    }
    return failure
  }

  /// Returns the failure in a response with a success status, or nil if there is none.
  static func refusal(_ body: JSONValue) -> CloudFailure? {
    if body["idToken"] != nil || body["id_token"] != nil { return nil }
    if body["needConfirmation"] == true {
      return failure(.forbidden, "another account has its e-mail address", "EMAIL_EXISTS")
    }
    if case .string(let message)? = body["errorMessage"] {
      return failure(.forbidden, "it was refused", known(message))
    }
    guard body["mfaPendingCredential"] != nil else { return nil }
    return CloudFailure(
      .forbidden, "the account needs a second factor",
      hint: "Sign in with Firebase's SDK, and pass its tokens to FirestoreStorage.")
  }

  private static let invalidKey = "API_KEY_INVALID"

  private typealias Meaning = (kind: ResponseClass, hint: String)

  private static let meanings: [String: Meaning] = [
    "TOKEN_EXPIRED": revoked, "USER_DISABLED": revoked, "USER_NOT_FOUND": revoked,
    "INVALID_REFRESH_TOKEN": revoked, "INVALID_ID_TOKEN": revoked,
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": (
      .unauthenticated, "Sign in again, then repeat it: the last sign-in is too long ago."
    ),
    "EMAIL_NOT_FOUND": wrongPassword, "INVALID_PASSWORD": wrongPassword,
    "INVALID_LOGIN_CREDENTIALS": wrongPassword,
    "INVALID_IDP_RESPONSE": rejectedIdentity, "INVALID_CREDENTIAL_OR_PROVIDER_ID": rejectedIdentity,
    "MISSING_OR_INVALID_NONCE": rejectedIdentity,
    "EMAIL_EXISTS": linkedElsewhere, "FEDERATED_USER_ID_ALREADY_LINKED": linkedElsewhere,
    "WEAK_PASSWORD": (.misconfigured, "Choose a longer password."),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": (
      .misconfigured, "Choose a password as the project wants it."
    ),
    "MISSING_PASSWORD": (.misconfigured, "Pass a password."),
    "INVALID_EMAIL": (.misconfigured, "Check the e-mail address."),
    "MISSING_EMAIL": (.misconfigured, "Pass an e-mail address."),
    "OPERATION_NOT_ALLOWED": disabled, "PASSWORD_LOGIN_DISABLED": disabled,
    "ADMIN_ONLY_OPERATION": disabled,
    "CONFIGURATION_NOT_FOUND": disabled,
    invalidKey: (
      .misconfigured,
      "Check the web API key: the Firebase console shows it in the project's settings."
    ),
    "PROJECT_NUMBER_MISMATCH": (
      .misconfigured, "Check the web API key: it is that of another project."
    ),
    "TOO_MANY_ATTEMPTS_TRY_LATER": (.transient, "Wait some minutes before the next try."),
    "QUOTA_EXCEEDED": (
      .quotaExceeded, "The project takes no more of these today. Try again tomorrow."
    ),
  ]

  private static let revoked: Meaning = (
    .unauthenticated,
    "Sign in again: the last sign-in was revoked, or the user was deleted or disabled."
  )
  private static let wrongPassword: Meaning = (
    .unauthenticated, "Check the e-mail address and the password."
  )
  private static let rejectedIdentity: Meaning = (.unauthenticated, "Ask the other provider again.")
  private static let linkedElsewhere: Meaning = (
    .forbidden, "Sign in as that account instead, or use another address or identity."
  )
  private static let disabled: Meaning = (
    .misconfigured, "Turn this way to sign in on: Firebase console, Authentication, Sign-in method."
  )

  // MARK: - Errors

  /// Returns the error for the caller.
  static func error(_ failure: CloudFailure, _ operation: String, _ project: String)
    -> EventLogError
  {
    var code = failure.code
    switch failure.serviceCode {
    case "EMAIL_EXISTS", "FEDERATED_USER_ID_ALREADY_LINKED": code = .accountExists
    case "WEAK_PASSWORD", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "MISSING_PASSWORD",
      "INVALID_EMAIL", "MISSING_EMAIL":
      code = .invalidInput
    default: break
    }
    return EventLogError(
      code,
      "\(operation) failed in the Firebase project \"\(SafeText.quote(project))\":"
        + " \(failure.reason). The stored sign-in was not changed.",
      hint: failure.hint
        ?? (failure.kind == .transient ? "Nothing is lost. Try again later." : failure.defaultHint),
      retryAfter: failure.kind == .transient ? failure.retryAfter : nil)
  }
}
