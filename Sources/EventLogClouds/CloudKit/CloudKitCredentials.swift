public import EventLog

/// The credentials of an app and a person for CloudKit Web Services.
///
/// The web token comes from signing in to iCloud on Apple's page. Each response contains the next
/// one.
public struct CloudKitCredentials: Sendable {
  let apiToken: CloudKitSecret
  let load: @Sendable () async throws(EventLogError) -> String?
  let store: @Sendable (String) async throws(EventLogError) -> Void

  /// Creates credentials.
  ///
  /// If `store` throws, the response isn't used. The token is kept in memory, and stored before the
  /// next request.
  ///
  /// - Parameters:
  ///   - apiToken: The container's API token, from CloudKit's console.
  ///   - load: Returns the web token that was stored last, or `nil` if no user is signed in. It is
  ///     called before each request, so that several processes can share a session.
  ///   - store: Stores the next web token, which replaces the last one. It must be durable when the
  ///     closure returns.
  public init(
    apiToken: String, load: @escaping @Sendable () async throws(EventLogError) -> String?,
    store: @escaping @Sendable (_ webToken: String) async throws(EventLogError) -> Void
  ) {
    self.apiToken = CloudKitSecret(apiToken)
    (self.load, self.store) = (load, store)
  }
}

/// A secret that descriptions and mirrors don't show.
struct CloudKitSecret: Sendable, Hashable, Redacted {
  private let text: @Sendable () -> String

  init(_ text: String) { self.text = { text } }

  var value: String { text() }

  static func == (left: CloudKitSecret, right: CloudKitSecret) -> Bool {
    left.value == right.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
