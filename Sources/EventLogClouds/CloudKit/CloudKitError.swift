/// The failure of a ``CloudKitCalls`` method, or of one of its records.
public struct CloudKitError: Error, Sendable, Hashable {
  /// The kind of a failure.
  public enum Reason: Sendable, Hashable, CaseIterable {
    /// A record with the name already exists.
    case exists
    /// The record doesn't exist.
    case notFound
    /// Another record of the request failed, so nothing was changed.
    case atomicFailure
    /// The zone doesn't exist.
    case zoneMissing
    /// The change token is too old, or isn't known.
    case tokenExpired
    /// There is no connection, or the service is busy; a retry may succeed.
    case tryAgain
    /// No user is signed in to iCloud, or the session has ended.
    case notSignedIn
    /// The account doesn't have the permission.
    case accessDenied
    /// The person's iCloud storage is full.
    case quotaExceeded
    /// The server failed to prove its identity.
    case untrustedServer
    /// The container, the schema or the request is wrong.
    case badRequest
    /// Anything else, such as a response that can't be read.
    case other
  }

  /// The kind of the failure.
  public var reason: Reason
  /// A description of the failure for the user: a clause without secrets.
  public var message: String
  /// A suggestion for what to do next, if there is a better one than the reason's own.
  public var hint: String?
  /// How long the service asks to wait before a retry.
  public var retryAfter: Duration?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - reason: The kind of the failure.
  ///   - message: What happened, without secrets.
  ///   - hint: A suggestion for what to do next.
  ///   - retryAfter: How long the service asks to wait before a retry.
  public init(
    _ reason: Reason, _ message: String, hint: String? = nil, retryAfter: Duration? = nil
  ) {
    (self.reason, self.message) = (reason, message)
    (self.hint, self.retryAfter) = (hint, retryAfter)
  }
}

extension CloudKitError {
  /// The corresponding failure.
  var failure: CloudFailure {
    var text = SafeText.quote(message)
    while text.hasSuffix(".") { text.removeLast() }
    return CloudFailure(kind, text, retryAfter: retryAfter, hint: hint)
  }

  private var kind: ResponseClass {
    switch reason {
    case .exists: .alreadyExists
    case .notFound: .notFound
    // The cause may be transient. After an expired token, the next listing starts over.
    case .tryAgain, .atomicFailure, .tokenExpired: .transient
    case .notSignedIn: .unauthenticated
    case .accessDenied: .forbidden
    case .quotaExceeded: .quotaExceeded
    case .untrustedServer: .untrusted
    case .zoneMissing, .badRequest: .misconfigured
    case .other: .malformed
    }
  }

  /// Creates the error for the failure of a whole request.
  init(_ failure: CloudFailure) {
    let reason: Reason =
      switch failure.kind {
      case .alreadyExists: .exists
      case .notFound: .notFound
      case .transient: .tryAgain
      case .unauthenticated: .notSignedIn
      case .forbidden: .accessDenied
      case .quotaExceeded: .quotaExceeded
      case .untrusted: .untrustedServer
      case .misconfigured: .badRequest
      case .success, .malformed: .other
      }
    self.init(reason, failure.reason, hint: failure.hint, retryAfter: failure.retryAfter)
  }
}
