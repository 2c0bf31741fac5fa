/// Shows nothing of itself in a log, a debugger's description or `dump`: it contains secrets.
protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type alone.
  public var description: String { "\(Self.self)(…)" }
  /// The name of the type alone.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BucketCredentials: Redacted {}
extension WebDAVCredentials: Redacted {}
extension FirebaseIdentity: Redacted {}
