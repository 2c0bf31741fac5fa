/// The name and size of an object in a storage.
public struct StoredObject: Sendable, Hashable {
  /// The name of the object.
  public var name: String
  /// The size of the object in bytes.
  public var byteCount: Int64

  /// Creates a description of an object for a listing.
  ///
  /// - Parameters:
  ///   - name: The name of the object.
  ///   - byteCount: The size of the object in bytes.
  public init(name: String, byteCount: Int64) {
    self.name = name
    self.byteCount = byteCount
  }
}
