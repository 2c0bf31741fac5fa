/// The meaning of a server's answer for the caller.
package enum AnswerClass: Sendable, Hashable, CaseIterable {
  /// The request was carried out.
  case done
  /// An object with that name exists already.
  case taken
  /// The requested object doesn't exist.
  case missing
  /// A retry may succeed.
  case again
  /// The credentials are missing, wrong or expired.
  case signIn
  /// The credentials don't allow the request.
  case refused
  /// The quota is used up.
  case full
  /// The address or the settings of the remote are wrong.
  case wrong
  /// The server couldn't prove its identity.
  case untrusted
  /// The answer isn't one of this kind of service.
  case senseless
}

extension AnswerClass {
  /// The class of an answer.
  ///
  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - word: The service's own code for the error, which is more specific than the status.
  package init(status: Int, word: String? = nil) {
    self = word.flatMap { Self.words[$0] } ?? Self.statuses[status] ?? Self.ofOthers(status)
  }

  /// The class of a request without an answer.
  package init(_ fault: HTTPFault) {
    switch fault {
    case .unreachable, .timedOut, .cut, .canceled: self = .again
    case .untrusted: self = .untrusted
    case .invalidRequest, .unavailable, .unencrypted: self = .wrong
    case .tooLong, .senseless: self = .senseless
    }
  }

  private static func ofOthers(_ status: Int) -> AnswerClass {
    switch status {
    case 200..<300: .done
    case 300..<500: .wrong
    case 500..<600: .again
    default: .senseless
    }
  }

  /// The statuses with the same meaning in every service.
  private static let statuses: [Int: AnswerClass] = [
    401: .signIn, 403: .refused, 404: .missing, 407: .signIn, 408: .again, 409: .taken,
    410: .missing, 412: .taken, 413: .full, 421: .signIn, 423: .again, 425: .again, 429: .again,
    507: .full, 511: .signIn,
  ]

  /// The services' error codes; no two services use one code for different errors.
  private static let words: [String: AnswerClass] = [
    // Google's services: google.rpc.Code.
    "ALREADY_EXISTS": .taken, "ABORTED": .again, "UNAVAILABLE": .again,
    "DEADLINE_EXCEEDED": .again, "INTERNAL": .again, "RESOURCE_EXHAUSTED": .again,
    "UNAUTHENTICATED": .signIn, "PERMISSION_DENIED": .refused, "INVALID_ARGUMENT": .wrong,
    "FAILED_PRECONDITION": .wrong, "UNIMPLEMENTED": .wrong,
    // S3 and compatible servers.
    "PreconditionFailed": .taken, "ConditionalRequestConflict": .again, "SlowDown": .again,
    "InternalError": .again, "ServiceUnavailable": .again, "RequestTimeout": .again,
    "OperationAborted": .again, "NoSuchKey": .missing, "InvalidAccessKeyId": .signIn,
    "SignatureDoesNotMatch": .signIn, "ExpiredToken": .signIn, "InvalidToken": .signIn,
    "TokenRefreshRequired": .signIn, "AccessDenied": .refused, "AllAccessDisabled": .refused,
    "QuotaExceeded": .full, "NoSuchBucket": .wrong, "PermanentRedirect": .wrong,
    "TemporaryRedirect": .again, "AuthorizationHeaderMalformed": .wrong,
    "IllegalLocationConstraintException": .wrong, "RequestTimeTooSkewed": .wrong,
    "NotImplemented": .wrong,
    // CloudKit Web Services.
    "EXISTS": .taken, "THROTTLED": .again, "TRY_AGAIN_LATER": .again, "ZONE_BUSY": .again,
    "CONFLICT": .again, "INTERNAL_ERROR": .again, "AUTHENTICATION_REQUIRED": .signIn,
    "AUTHENTICATION_FAILED": .signIn, "NOT_AUTHENTICATED": .signIn, "ACCESS_DENIED": .refused,
    "QUOTA_EXCEEDED": .full, "BAD_REQUEST": .wrong, "ZONE_NOT_FOUND": .wrong,
  ]
}
