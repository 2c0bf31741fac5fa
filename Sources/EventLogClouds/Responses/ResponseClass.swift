/// The meaning of a server's answer for the caller.
package enum ResponseClass: Sendable, Hashable, CaseIterable {
  /// The request was carried out.
  case success
  /// An object with that name exists already.
  case alreadyExists
  /// The requested object doesn't exist.
  case notFound
  /// A retry may succeed.
  case transient
  /// The credentials are missing, wrong or expired.
  case unauthenticated
  /// The credentials don't allow the request.
  case forbidden
  /// The quota is used up.
  case quotaExceeded
  /// The address or the settings of the remote are wrong.
  case misconfigured
  /// The server couldn't prove its identity.
  case untrusted
  /// The answer isn't one of this kind of service.
  case malformed
}

extension ResponseClass {
  /// The class of an answer.
  ///
  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - word: The service's own code for the error, which is more specific than the status.
  package init(status: Int, code: String? = nil) {
    self = code.flatMap { Self.codes[$0] } ?? Self.statuses[status] ?? Self.ofOthers(status)
  }

  /// The class of a request without an answer.
  package init(_ fault: HTTPFault) {
    switch fault {
    case .unreachable, .timedOut, .connectionLost, .canceled: self = .transient
    case .untrusted: self = .untrusted
    case .invalidRequest, .unavailable, .unencrypted: self = .misconfigured
    case .tooLarge, .malformed: self = .malformed
    }
  }

  private static func ofOthers(_ status: Int) -> ResponseClass {
    switch status {
    case 200..<300: .success
    case 300..<500: .misconfigured
    case 500..<600: .transient
    default: .malformed
    }
  }

  /// The statuses with the same meaning in every service.
  private static let statuses: [Int: ResponseClass] = [
    401: .unauthenticated, 403: .forbidden, 404: .notFound, 407: .unauthenticated, 408: .transient,
    409: .alreadyExists,
    410: .notFound, 412: .alreadyExists, 413: .quotaExceeded, 421: .unauthenticated,
    423: .transient, 425: .transient, 429: .transient,
    507: .quotaExceeded, 511: .unauthenticated,
  ]

  /// The services' error codes; no two services use one code for different errors.
  private static let codes: [String: ResponseClass] = [
    // Google's services: google.rpc.Code.
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
