/// The credentials of an account on S3 or a compatible server.
public struct BucketCredentials: Sendable {
  /// The public part of the key.
  public var accessKeyID: String
  /// The secret part of the key.
  public var secretAccessKey: String
  /// The token of temporary credentials, or `nil` for others.
  public var sessionToken: String?

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - accessKeyID: The public part of the key.
  ///   - secretAccessKey: The secret part of the key.
  ///   - sessionToken: The token of temporary credentials.
  public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.sessionToken = sessionToken
  }
}
