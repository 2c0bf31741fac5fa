/// A type whose secrets don't appear in logs, debuggers and `dump`.
protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type.
  public var description: String { "\(Self.self)(…)" }
  /// The name of the type.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BucketCredentials: Redacted {}
extension WebDAVCredentials: Redacted {}
extension FirebaseIdentity: Redacted {}
