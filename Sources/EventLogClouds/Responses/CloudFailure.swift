package import EventLog

/// The failure of a request: an unexpected response, or none.
package struct CloudFailure: Error, Sendable {
  package var kind: ResponseClass
  /// The predicate of a sentence about the server. It is safe to show.
  package var reason: String
  /// The service's own error code.
  package var serviceCode: String?
  /// The delay that the server requests before a retry.
  package var retryAfter: Duration?
  /// A more specific hint than that of the class.
  package var hint: String?
  /// Whether no retry is useful, because the operation has already been retried.
  package var isFinal = false
  /// Whether the request timed out.
  package private(set) var isTimeout = false
  /// Whether the connection failed, so the request wasn't sent.
  package private(set) var wasNotSent = false
  /// Whether the response can't be parsed, so it may have been damaged in transit.
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

  /// Returns the failure of a malformed response.
  static func malformed(_ response: HTTPResponse) -> CloudFailure {
    CloudFailure(
      .malformed,
      "its answer makes no sense (\(response.status), \"\(SafeText.quote(response.body))\")")
  }

  /// Returns the failure of a response that can't be parsed. A retry may succeed.
  static func unparsable(_ response: HTTPResponse) -> CloudFailure {
    var failure = malformed(response)
    failure.isUnparsable = true
    return failure
  }

  /// Creates the failure of a request without a response.
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
  /// Returns the error for the caller of a storage.
  ///
  /// - Parameters:
  ///   - address: The address of the remote.
  ///   - isReading: Whether the request only reads.
  package func error(at address: String, isReading: Bool) -> EventLogError {
    let meaning =
      isReading ? "Nothing of it was received." : "Events transferred so far are kept."
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

  /// The hint for failures of this class.
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
  /// The duration in words, rounded up: seconds below 2 minutes, minutes below 2 hours, or else
  /// hours.
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
  /// Creates the failure of a request that couldn't be signed.
  ///
  /// It is final, because token providers retry on their own.
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
