import EventLog

/// The error codes of Firebase Auth.
///
/// Only known codes are ever shown: other parts of an answer may repeat a token, a password or an
/// address from the request.
struct FirebaseService: CloudService {
  func sign(_ request: HTTPRequest) async throws(CloudFailure) -> HTTPRequest { request }

  /// The first word of the message, as in `WEAK_PASSWORD : Password should be…`.
  func word(of answer: HTTPAnswer) -> String? {
    guard answer.status >= 300, let error = (try? JSONValue(parsing: answer.body))?["error"],
      case .string(let message)? = error["message"]
    else { return nil }
    if message.hasPrefix("API key") { return Self.badKey }
    return Self.known(message)
  }

  /// The first word of a message, if it is one of Firebase's error codes.
  static func known(_ message: String) -> String? {
    let word = String(message.prefix { $0 == "_" || $0.isASCII && $0.isUppercase })
    return meanings[word] == nil ? nil : word
  }

  func failure(_ kind: AnswerClass, _ answer: HTTPAnswer) -> CloudFailure {
    Self.failure(
      kind, "it answered \(answer.status)", word(of: answer), retryAfter: answer.retryAfter)
  }

  static func failure(
    _ kind: AnswerClass, _ reason: String, _ word: String?, retryAfter: Duration? = nil
  ) -> CloudFailure {
    let meaning = word.flatMap { meanings[$0] }
    var failure = CloudFailure(
      meaning?.kind ?? kind, reason + (word.map { " (\($0))" } ?? ""), word: word,
      retryAfter: retryAfter, hint: meaning?.hint)
    // Firebase counts the attempts, so an immediate retry would make it worse.
    if word == "TOO_MANY_ATTEMPTS_TRY_LATER" {
      failure.retryAfter = max(retryAfter ?? .zero, .seconds(300))
    }
    return failure
  }

  /// The failure of a successful answer without a token; nil if there is none.
  static func refusal(_ body: JSONValue) -> CloudFailure? {
    if body["idToken"] != nil || body["id_token"] != nil { return nil }
    if body["needConfirmation"] == true {
      return failure(.refused, "another account has its e-mail address", "EMAIL_EXISTS")
    }
    if case .string(let message)? = body["errorMessage"] {
      return failure(.refused, "it was refused", known(message))
    }
    guard body["mfaPendingCredential"] != nil else { return nil }
    return CloudFailure(
      .refused, "the account needs a second factor",
      hint: "Sign in with Firebase's SDK, and pass its tokens to FirestoreStorage.")
  }

  private static let badKey = "API_KEY_INVALID"

  private typealias Meaning = (kind: AnswerClass, hint: String)

  private static let meanings: [String: Meaning] = [
    "TOKEN_EXPIRED": dead, "USER_DISABLED": dead, "USER_NOT_FOUND": dead,
    "INVALID_REFRESH_TOKEN": dead, "INVALID_ID_TOKEN": dead,
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": (
      .signIn, "Sign in again, then repeat it: the last sign-in is too long ago."
    ),
    "EMAIL_NOT_FOUND": unknown, "INVALID_PASSWORD": unknown, "INVALID_LOGIN_CREDENTIALS": unknown,
    "INVALID_IDP_RESPONSE": identity, "INVALID_CREDENTIAL_OR_PROVIDER_ID": identity,
    "MISSING_OR_INVALID_NONCE": identity,
    "EMAIL_EXISTS": taken, "FEDERATED_USER_ID_ALREADY_LINKED": taken,
    "WEAK_PASSWORD": (.wrong, "Choose a longer password."),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": (.wrong, "Choose a password as the project wants it."),
    "MISSING_PASSWORD": (.wrong, "Pass a password."),
    "INVALID_EMAIL": (.wrong, "Check the e-mail address."),
    "MISSING_EMAIL": (.wrong, "Pass an e-mail address."),
    "OPERATION_NOT_ALLOWED": off, "PASSWORD_LOGIN_DISABLED": off, "ADMIN_ONLY_OPERATION": off,
    "CONFIGURATION_NOT_FOUND": off,
    badKey: (
      .wrong, "Check the web API key: the Firebase console shows it in the project's settings."
    ),
    "PROJECT_NUMBER_MISMATCH": (.wrong, "Check the web API key: it is that of another project."),
    "TOO_MANY_ATTEMPTS_TRY_LATER": (.again, "Wait some minutes before the next try."),
    "QUOTA_EXCEEDED": (.full, "The project takes no more of these today. Try again tomorrow."),
  ]

  private static let dead: Meaning = (
    .signIn, "Sign in again: the last sign-in was revoked, or the user was deleted or disabled."
  )
  private static let unknown: Meaning = (
    .signIn, "Check the e-mail address and the password."
  )
  private static let identity: Meaning = (.signIn, "Ask the other provider again.")
  private static let taken: Meaning = (
    .refused, "Sign in as that account instead, or use another address or identity."
  )
  private static let off: Meaning = (
    .wrong, "Turn this way to sign in on: Firebase console, Authentication, Sign-in method."
  )

  // MARK: - Errors

  /// The error for the caller.
  static func error(_ failure: CloudFailure, _ what: String, _ project: String) -> EventLogError {
    var code = failure.code
    switch failure.word {
    case "EMAIL_EXISTS", "FEDERATED_USER_ID_ALREADY_LINKED": code = .accountExists
    case "WEAK_PASSWORD", "PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "MISSING_PASSWORD",
      "INVALID_EMAIL", "MISSING_EMAIL":
      code = .invalidInput
    default: break
    }
    return EventLogError(
      code,
      "\(what) failed in the Firebase project \"\(SafeText.quote(project))\": \(failure.reason)."
        + " The stored sign-in was not changed.",
      hint: failure.hint
        ?? (failure.kind == .again ? "Nothing is lost. Try again later." : failure.advice),
      retryAfter: failure.kind == .again ? failure.retryAfter : nil)
  }
}
