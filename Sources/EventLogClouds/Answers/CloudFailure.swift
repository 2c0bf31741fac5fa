package import EventLog

/// An unexpected answer, or none.
package struct CloudFailure: Error, Sendable {
  package var kind: AnswerClass
  /// The predicate of a sentence about the server, safe to show.
  package var reason: String
  /// The service's own code for the error.
  package var word: String?
  /// How long the server asks to wait before a retry.
  package var retryAfter: Duration?
  /// A hint for the user, if the service has a better one than the class.
  package var hint: String?
  /// Whether the failed operation has already been retried often enough.
  package var isFinal = false
  /// Whether the request timed out.
  package private(set) var isSilence = false
  /// Whether there was no connection, so that the request wasn't sent.
  package private(set) var isUnsent = false
  /// Whether the answer may have been cut or changed on its way.
  package private(set) var isGarbled = false
  /// Whether a retry may succeed.
  var mayPass: Bool { (kind == .again || isGarbled) && !isFinal }

  package init(
    _ kind: AnswerClass, _ reason: String, word: String? = nil, retryAfter: Duration? = nil,
    hint: String? = nil
  ) {
    (self.kind, self.reason, self.word) = (kind, reason, word)
    (self.retryAfter, self.hint) = (retryAfter, hint)
  }

  /// The failure of a malformed answer.
  static func senseless(_ answer: HTTPAnswer) -> CloudFailure {
    CloudFailure(
      .senseless,
      "its answer makes no sense (\(answer.status), \"\(SafeText.quote(answer.body))\")")
  }

  /// The failure of an answer that can't be parsed.
  static func garbled(_ answer: HTTPAnswer) -> CloudFailure {
    var failure = senseless(answer)
    failure.isGarbled = true
    return failure
  }

  /// The failure of a request without an answer.
  package init(_ fault: HTTPFault) {
    self.init(AnswerClass(fault), fault.reason)
    isSilence = fault == .timedOut
    if case .unreachable = fault { isUnsent = true }
    switch fault {
    case .unavailable:
      hint = "Install libcurl; clouds need it on Linux. Folders and journals work without it."
    case .unencrypted:
      hint = "Check the port: this one answers without encryption. TLS is usually at port 443."
    case .untrusted:
      #if !canImport(Darwin)
        hint =
          "Check the address, the date of this device, and the server's certificate. If it is one"
          + " of your own, let SSL_CERT_FILE name a file with it."
      #endif
    default: break
    }
  }
}

extension HTTPFault {
  fileprivate var reason: String {
    switch self {
    case .unreachable(let why): "it could not be reached (\(SafeText.quote(why)))"
    case .timedOut: "it did not answer in time"
    case .cut(let why): "the connection broke (\(SafeText.quote(why)))"
    case .unencrypted(let why): "it does not speak TLS (\(SafeText.quote(why)))"
    case .untrusted(let why): "it could not prove who it is (\(SafeText.quote(why)))"
    case .tooLong: "its answer is longer than allowed"
    case .senseless(let why): "its answer is not HTTP (\(SafeText.quote(why)))"
    case .unavailable(let why): "requests can't be sent: \(SafeText.quote(why))"
    case .invalidRequest: "the address can't be requested"
    case .canceled: "the request was canceled"
    }
  }
}

extension CloudFailure {
  /// The error for the caller of a storage.
  ///
  /// - Parameters:
  ///   - address: The address of the remote, as shown to the user.
  ///   - isReading: Whether the request can't have changed anything.
  package func error(at address: String, isReading: Bool) -> EventLogError {
    let meaning =
      isReading ? "No events of it were received." : "Events transferred so far are kept."
    let wait = kind == .again ? retryAfter.map { " and asks to wait \($0.inWords)" } ?? "" : ""
    let message = "\"\(address)\" failed: \(reason)\(wait). \(meaning)"
    return EventLogError(
      code, message, hint: hint ?? advice, retryAfter: kind == .again ? retryAfter : nil)
  }

  var code: EventLogError.Code {
    switch kind {
    case .signIn: .signInNeeded
    case .refused: .accessDenied
    case .full: .quotaExceeded
    case .wrong: .wrongAddress
    case .untrusted: .untrustedServer
    case .done, .taken, .missing, .again, .senseless: .remoteFailed
    }
  }

  /// The hint for this class of failure.
  var advice: String? {
    switch kind {
    case .signIn: "Sign in again: the credentials are missing, wrong or expired."
    case .refused: "Check the rights of the account that is signed in."
    case .full: "Make room there, or raise its quota, then sync again."
    case .wrong: "Check the address and the settings of the place."
    case .untrusted: "Check the address, the date of this device, and the server's certificate."
    case .again: "Nothing is lost. Sync again later."
    case .done, .taken, .missing, .senseless: "Check that it is the right place."
    }
  }
}

extension Duration {
  /// The time, rounded up: in seconds below 2 minutes, in minutes below 2 hours, else in hours.
  fileprivate var inWords: String {
    let seconds = components.seconds + (components.attoseconds > 0 ? 1 : 0)
    let (count, unit) =
      seconds < 120
      ? (seconds, "second")
      : seconds < 7200 ? ((seconds + 59) / 60, "minute") : ((seconds + 3599) / 3600, "hour")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
  }
}

extension CloudFailure {
  /// The failure of a request that couldn't be signed.
  ///
  /// It is final, because token providers do their own retries.
  init(withoutToken error: EventLogError) {
    let kind: AnswerClass =
      switch error.code {
      case .remoteFailed, .inputOutput, .canceled: .again
      case .accessDenied: .refused
      case .quotaExceeded: .full
      case .wrongAddress: .wrong
      case .untrustedServer: .untrusted
      default: .signIn
      }
    let reason = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    self.init(
      kind,
      kind == .signIn && error.code != .signInNeeded
        ? "nobody is signed in" : "there is no token for it (\(reason))",
      retryAfter: error.retryAfter, hint: error.hint ?? (kind == .signIn ? error.message : nil))
    isFinal = true
  }
}
