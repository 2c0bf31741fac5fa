/// A class of server responses that callers handle alike.
package enum ResponseClass: Sendable, Hashable, CaseIterable {
  /// The request succeeded.
  case success
  /// An object with that name already exists.
  case alreadyExists
  /// The requested object doesn't exist.
  case notFound
  /// The request failed, but a retry may succeed.
  case transient
  /// The credentials are missing, wrong, or expired.
  case unauthenticated
  /// The credentials don't allow the request.
  case forbidden
  /// The quota is exhausted.
  case quotaExceeded
  /// The request, the address, or the remote's settings are wrong.
  case misconfigured
  /// The server failed to prove its identity.
  case untrusted
  /// The response isn't from this kind of service.
  case malformed
}

extension ResponseClass {
  /// Classifies a response.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - code: The service's own error code. It takes precedence, because it is more specific than
  ///     the status.
  package init(status: Int, code: String? = nil) {
    self = code.flatMap { Self.codes[$0] } ?? Self.statuses[status] ?? Self.byRange(status)
  }

  /// Classifies the fault of a request without a response.
  package init(_ fault: HTTPFault) {
    switch fault {
    case .unreachable, .timedOut, .connectionLost, .canceled: self = .transient
    case .untrusted: self = .untrusted
    case .invalidRequest, .unavailable, .unencrypted: self = .misconfigured
    case .tooLarge, .malformed: self = .malformed
    }
  }

  private static func byRange(_ status: Int) -> ResponseClass {
    switch status {
    case 200..<300: .success
    case 300..<500: .misconfigured
    case 500..<600: .transient
    default: .malformed
    }
  }

  /// The statuses that have the same meaning in all services.
  private static let statuses: [Int: ResponseClass] = [
    401: .unauthenticated, 403: .forbidden, 404: .notFound, 407: .unauthenticated, 408: .transient,
    409: .alreadyExists,
    410: .notFound, 412: .alreadyExists, 413: .quotaExceeded, 421: .unauthenticated,
    423: .transient, 425: .transient, 429: .transient,
    507: .quotaExceeded, 511: .unauthenticated,
  ]

  /// The error codes of all services. No code has different meanings in two services.
  private static let codes: [String: ResponseClass] = [
    // Google's services, as in `google.rpc.Code`.
    "ALREADY_EXISTS": .alreadyExists, "ABORTED": .transient, "UNAVAILABLE": .transient,
    "DEADLINE_EXCEEDED": .transient, "INTERNAL": .transient, "RESOURCE_EXHAUSTED": .transient,
    "UNAUTHENTICATED": .unauthenticated, "PERMISSION_DENIED": .forbidden,
    "INVALID_ARGUMENT": .misconfigured,
    "FAILED_PRECONDITION": .misconfigured, "UNIMPLEMENTED": .misconfigured,
    // S3 and compatible servers.
    "PreconditionFailed": .alreadyExists, "ConditionalRequestConflict": .transient,
    "SlowDown": .transient,
    "InternalError": .transient, "ServiceUnavailable": .transient, "RequestTimeout": .transient,
    "OperationAborted": .transient, "NoSuchKey": .notFound, "InvalidAccessKeyId": .unauthenticated,
    "SignatureDoesNotMatch": .unauthenticated, "ExpiredToken": .unauthenticated,
    "InvalidToken": .unauthenticated,
    "TokenRefreshRequired": .unauthenticated, "AccessDenied": .forbidden,
    "AllAccessDisabled": .forbidden,
    "QuotaExceeded": .quotaExceeded, "NoSuchBucket": .misconfigured,
    "PermanentRedirect": .misconfigured,
    "TemporaryRedirect": .transient, "AuthorizationHeaderMalformed": .misconfigured,
    "IllegalLocationConstraintException": .misconfigured, "RequestTimeTooSkewed": .misconfigured,
    "NotImplemented": .misconfigured,
    // CloudKit Web Services.
    "EXISTS": .alreadyExists, "THROTTLED": .transient, "TRY_AGAIN_LATER": .transient,
    "ZONE_BUSY": .transient,
    "CONFLICT": .transient, "INTERNAL_ERROR": .transient,
    "AUTHENTICATION_REQUIRED": .unauthenticated,
    "AUTHENTICATION_FAILED": .unauthenticated, "NOT_AUTHENTICATED": .unauthenticated,
    "ACCESS_DENIED": .forbidden,
    "QUOTA_EXCEEDED": .quotaExceeded, "BAD_REQUEST": .misconfigured,
    "ZONE_NOT_FOUND": .misconfigured,
  ]
}
