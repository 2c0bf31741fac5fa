/// The three operations on the records of a zone that a ``CloudKitStorage`` needs.
///
/// The zone is a custom zone of the private database, and contains nothing else. An app conforms
/// its `CKDatabase` to this protocol. Calls may be concurrent, even from several devices.
public protocol CloudKitCalls: Sendable {
  /// Creates and deletes records in one atomic request: if one of them fails, nothing changes.
  ///
  /// The created records must be durable when the method returns. If the zone doesn't exist and
  /// there are records to create, create the zone first. No record may be overwritten.
  ///
  /// - Parameters:
  ///   - records: The records to create, with their bytes.
  ///   - names: The names of the records to delete, regardless of their versions.
  /// - Returns: The outcome for each record, by its name. The outcome for a record that failed only
  ///   because another one did is `atomicFailure`.
  /// - Throws: The error of the request as a whole.
  func modify(
    creating records: [CloudKitRecord], deleting names: [String]
  ) async throws(CloudKitError) -> [String: Result<Void, CloudKitError>]

  /// Returns the changes in the zone, without the bytes of the records.
  ///
  /// - Parameter token: The token from an earlier call, or `nil` for all records.
  /// - Returns: The next changes.
  /// - Throws: `zoneMissing` if there is no zone; `tokenExpired` if the token isn't known.
  func changes(since token: String?) async throws(CloudKitError) -> CloudKitRecord.Changes

  /// Returns records with their bytes.
  ///
  /// - Parameter names: The names of the records.
  /// - Returns: The existing records, in any order.
  /// - Throws: `zoneMissing` if there is no zone.
  func lookup(_ names: [String]) async throws(CloudKitError) -> [CloudKitRecord]
}

/// A record of a ``CloudKitStorage``: one part of an object.
public struct CloudKitRecord: Sendable, Hashable {
  /// The type of the records.
  public static let type = "EventLogObject"
  /// The field for ``bytes``, of the type Bytes.
  public static let bytesField = "bytes"
  /// The field for ``size``, of the type Int(64).
  public static let sizeField = "size"

  /// The name of the record: letters, digits, `.`, `_` and `-`, with a digit first.
  public var name: String
  /// The contents of this part, at most 704 KiB; empty in a list of changes.
  public var bytes: [UInt8]
  /// The size of the whole object in bytes.
  public var size: Int64

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - bytes: The contents of this part.
  ///   - size: The size of the whole object in bytes.
  public init(name: String, bytes: [UInt8] = [], size: Int64) {
    (self.name, self.bytes, self.size) = (name, bytes, size)
  }

  /// The changes in a zone since a token.
  public struct Changes: Sendable, Hashable {
    /// The records that were created, without their bytes.
    public var records: [CloudKitRecord]
    /// The names of the records that were deleted.
    public var deleted: [String]
    /// The token for the next call.
    public var token: String
    /// Whether there are more changes after these.
    public var isMoreComing: Bool

    /// Creates a list of changes.
    ///
    /// - Parameters:
    ///   - records: The records that were created.
    ///   - deleted: The names of the records that were deleted.
    ///   - token: The token for the next call.
    ///   - isMoreComing: Whether there are more changes after these.
    public init(
      records: [CloudKitRecord], deleted: [String], token: String, isMoreComing: Bool
    ) {
      (self.records, self.deleted) = (records, deleted)
      (self.token, self.isMoreComing) = (token, isMoreComing)
    }
  }
}
