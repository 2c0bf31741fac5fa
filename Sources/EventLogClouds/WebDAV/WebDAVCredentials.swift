/// The name and password of a user of a WebDAV server.
public struct WebDAVCredentials: Sendable {
  /// The name.
  public var user: String
  /// The password, for many servers an app-specific one.
  public var password: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: The name.
  ///   - password: The password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
