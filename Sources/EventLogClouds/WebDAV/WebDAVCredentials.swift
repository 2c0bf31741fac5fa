/// The name and password of a WebDAV server's user.
public struct WebDAVCredentials: Sendable {
  /// The name.
  public var user: String
  /// The password. Many servers give out one for each app.
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
