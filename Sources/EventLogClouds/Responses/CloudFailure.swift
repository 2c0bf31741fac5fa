package import EventLog

/// An unexpected answer, or none.
package struct CloudFailure: Error, Sendable {
  package var kind: ResponseClass
  /// The predicate of a sentence about the server, safe to show.
  package var reason: String
  /// The service's own code for the error.
  package var serviceCode: String?
  /// How long the server asks to wait before a retry.
  package var retryAfter: Duration?
  /// A hint for the user, if the service has a better one than the class.
  package var hint: String?
  /// Whether the failed operation has already been retried often enough.
  package var isFinal = false
  /// Whether the request timed out.
  package private(set) var isTimeout = false
  /// Whether there was no connection, so that the request wasn't sent.
  package private(set) var wasNotSent = false
  /// Whether the answer may have been cut or changed on its way.
  package private(set) var isUnparsable = false
  /// Whether a retry may succeed.
  var isRetryable: Bool { (kind == .transient || isUnparsable) && !isFinal }

  package init(
    _ kind: ResponseClass, _ reason: String, serviceCode: String? = nil,
    retryAfter: Duration? = nil,
    hint: String? = nil
  ) {
    (self.kind, self.reason, self.serviceCode) = (kind, reason, serviceCode)
    (self.retryAfter, self.hint) = (retryAfter, hint)
  }

  /// The failure of a malformed answer.
  static func malformed(_ response: HTTPResponse) -> CloudFailure {
    CloudFailure(
      .malformed,
      "its answer makes no sense (\(response.status), \"\(SafeText.quote(response.body))\")")
  }

  /// The failure of an answer that can't be parsed.
  static func unparsable(_ response: HTTPResponse) -> CloudFailure {
    var failure = malformed(response)
    failure.isUnparsable = true
    return failure
  }

  /// The failure of a request without an answer.
  package init(_ fault: HTTPFault) {
    self.init(ResponseClass(fault), fault.reason)
    isTimeout = fault == .timedOut
    if case .unreachable = fault { wasNotSent = true }
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
    case .connectionLost(let why): "the connection broke (\(SafeText.quote(why)))"
    case .unencrypted(let why): "it does not speak TLS (\(SafeText.quote(why)))"
    case .untrusted(let why): "it could not prove who it is (\(SafeText.quote(why)))"
    case .tooLarge: "its answer is longer than allowed"
    case .malformed(let why): "its answer is not HTTP (\(SafeText.quote(why)))"
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
    let wait = kind == .transient ? retryAfter.map { " and asks to wait \($0.text)" } ?? "" : ""
    let message = "\"\(address)\" failed: \(reason)\(wait). \(meaning)"
    return EventLogError(
      code, message, hint: hint ?? defaultHint, retryAfter: kind == .transient ? retryAfter : nil)
  }

  var code: EventLogError.Code {
    switch kind {
    case .unauthenticated: .signInNeeded
    case .forbidden: .accessDenied
    case .quotaExceeded: .quotaExceeded
    case .misconfigured: .wrongAddress
    case .untrusted: .untrustedServer
    case .success, .alreadyExists, .notFound, .transient, .malformed: .remoteFailed
    }
  }

  /// The hint for this class of failure.
  var defaultHint: String? {
    switch kind {
    case .unauthenticated: "Sign in again: the credentials are missing, wrong or expired."
    case .forbidden: "Check the rights of the account that is signed in."
    case .quotaExceeded: "Make room there, or raise its quota, then sync again."
    case .misconfigured: "Check the address and the settings of the place."
    case .untrusted: "Check the address, the date of this device, and the server's certificate."
    case .transient: "Nothing is lost. Sync again later."
    case .success, .alreadyExists, .notFound, .malformed: "Check that it is the right place."
    }
  }
}

extension Duration {
  /// The time, rounded up: in seconds below 2 minutes, in minutes below 2 hours, else in hours.
  fileprivate var text: String {
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
    let kind: ResponseClass =
      switch error.code {
      case .remoteFailed, .inputOutput, .canceled: .transient
      case .accessDenied: .forbidden
      case .quotaExceeded: .quotaExceeded
      case .wrongAddress: .misconfigured
      case .untrustedServer: .untrusted
      default: .unauthenticated
      }
    let reason = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    self.init(
      kind,
      kind == .unauthenticated && error.code != .signInNeeded
        ? "nobody is signed in" : "there is no token for it (\(reason))",
      retryAfter: error.retryAfter,
      hint: error.hint ?? (kind == .unauthenticated ? error.message : nil))
    isFinal = true
  }
}
