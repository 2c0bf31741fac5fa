/// A type with secrets, which logs, debuggers and `dump` don't show.
protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The name of the type only.
  public var description: String { "\(Self.self)(…)" }
  /// The name of the type only.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BucketCredentials: Redacted {}
extension WebDAVCredentials: Redacted {}
extension FirebaseIdentity: Redacted {}
