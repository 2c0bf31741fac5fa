/// A place that keeps named objects: a folder, or a bucket of a cloud.
///
/// It is all that ``ObjectRemote`` asks of a place, so that a further one is one file. Objects are
/// never changed once they are there. Nothing is locked, and several devices use it at once.
///
/// | | a folder | S3 | Firestore |
/// |---|---|---|---|
/// | `put` | write beside, rename | `PutObject` with `If-None-Match: *` | `create` of a document |
/// | `list` | read the folder | `ListObjectsV2`, `start-after` | ordered by ID, `startAfter` |
/// | `read` | read | `GetObject` | get the document |
/// | `remove` | unlink | `DeleteObject` | delete the document |
public protocol ObjectStorage: Sendable {
  /// How a person names the place.
  var address: String { get }

  /// Puts an object where none has its name; it is there whole or not at all, and durable when this
  /// returns.
  ///
  /// - Returns: whether it was put; false where the name is taken.
  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool

  /// The objects whose names come after `name` in the order of bytes, the first ones of them; none
  /// behind the last.
  func list(after name: String?) async throws(EventLogError) -> [StoredObject]

  /// The bytes of an object; nil where there is none of that name, or none any more.
  func read(_ name: String) async throws(EventLogError) -> [UInt8]?

  /// Removes an object. One that is not there is no error.
  func remove(_ name: String) async throws(EventLogError)
}

/// One object of a storage.
public struct StoredObject: Sendable, Hashable {
  /// What the object is put, read and removed by.
  public var name: String
  /// The object's size in bytes.
  public var byteCount: Int64

  /// Describes an object as a listing finds it.
  public init(name: String, byteCount: Int64) {
    self.name = name
    self.byteCount = byteCount
  }
}
