package import EventLog

/// A storage whose requests contain the SHA-256 of an object.
package protocol HashedStorage: ObjectStorage {
  /// Does the same as `put(_:_:)`, with the SHA-256 of the bytes.
  func put(
    _ name: String, _ bytes: [UInt8], sha256: [UInt8]
  ) async throws(EventLogError) -> Bool
}
