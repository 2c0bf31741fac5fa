public import EventLog

/// A place that stores named objects, such as a folder or a cloud bucket.
///
/// Implement this protocol to sync through a place of your own, and pass it to ``ObjectRemote``.
/// Several devices use the place at the same time, without locks. Objects don't change once they
/// are stored.
///
/// | | Folder | S3 | Firestore |
/// |---|---|---|---|
/// | `put` | write beside, rename | `PutObject` with `If-None-Match: *` | `create` a document |
/// | `list` | read the folder | `ListObjectsV2`, `start-after` | ordered by ID, `startAfter` |
/// | `read` | read | `GetObject` | get the document |
/// | `remove` | unlink | `DeleteObject` | delete the document |
///
/// If the place can't be reached, throw an error that you create with
/// `EventLogError.init(remoteFailed:hint:retryAfter:)`.
public protocol ObjectStorage: Sendable {
  /// The address of the place, as shown to the user.
  var address: String { get }

  /// Stores an object unless its name is already taken.
  ///
  /// The object must become visible as a whole or not at all, and it must be durable when the
  /// method returns.
  ///
  /// - Parameters:
  ///   - name: The name of the object.
  ///   - bytes: The contents of the object.
  /// - Returns: Whether the object was stored. `false` if the name is already taken.
  func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool

  /// Returns the next objects in the byte order of their names.
  ///
  /// The result can be a page. To list all objects, the caller passes the last name to the next
  /// call until the result is empty.
  ///
  /// - Parameter name: The name after which the list begins, or `nil` to begin with the first
  ///   object.
  /// - Returns: The next objects. Empty if there are no more.
  func list(after name: String?) async throws(EventLogError) -> [StoredObject]

  /// Returns the contents of an object.
  ///
  /// - Parameter name: The name of the object.
  /// - Returns: The contents, or `nil` if the object doesn't exist.
  func read(_ name: String) async throws(EventLogError) -> [UInt8]?

  /// Removes an object.
  ///
  /// It is not an error if the object doesn't exist.
  ///
  /// - Parameter name: The name of the object.
  func remove(_ name: String) async throws(EventLogError)

  /// Checks whether the place can be used now: a user is signed in, the place can be reached, and
  /// the user has the right to read it.
  ///
  /// The default lists the first objects. Implement it if the place can also report that it has no
  /// space left or refuses writes, and change nothing there. The first sync reports failures that
  /// only a write shows.
  ///
  /// - Throws: `signInNeeded`, `accessDenied`, `quotaExceeded`, or another error of a call.
  func checkAvailability() async throws(EventLogError)

  /// The size in bytes up to which events are put together into one object. 4 MiB by default.
  ///
  /// An object can be one event longer, which is at most 1 MiB.
  var rangeBytes: Int { get }

  /// Whether the storage detects damage by itself, as clouds do. `false` by default.
  ///
  /// If so, verified ranges are read again every 180 syncs, rather than one of them in each sync,
  /// and verified frontiers aren't read again.
  var checksItself: Bool { get }

  /// The size in bytes of the parts in which larger contents, such as photos, are stored. 4 MiB by
  /// default.
  ///
  /// Parts are held in memory while they are transferred.
  var partBytes: Int { get }

  /// The size in bytes of the largest content, such as a photo, that the place takes, with all its
  /// parts. `nil` by default: the place takes contents of any size.
  var contentBytesMax: Int64? { get }

  /// Returns a storage for other objects of the same user, such as attachments: a folder in the
  /// folder, a prefix under the prefix. `nil` by default: the place keeps only events.
  ///
  /// Its objects don't appear in this storage's lists. They are visible to the same devices. Its
  /// place is created when the first object is put.
  ///
  /// - Parameter name: The name: letters from a to z, and hyphens.
  func storage(named name: String) -> (any ObjectStorage)?

  /// Returns the next objects, and whether there are none after them.
  ///
  /// The default calls ``list(after:)``, and treats only an empty result as the end. Implement it
  /// if the storage marks the last page, to save a request.
  ///
  /// - Parameter name: The name after which the list begins, or `nil` to begin with the first
  ///   object.
  func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool)

  /// Returns the objects that were put since an earlier call, or `nil` if the storage doesn't track
  /// them, which is the default.
  ///
  /// Objects may be returned again. Removals needn't be reported: a sync that misses an object
  /// lists all of them again, and so does every 40th sync.
  ///
  /// - Parameter mark: The mark that the earlier call returned, or `nil` for all objects.
  /// - Returns: The objects, and the mark for the next call; `nil` also for an unknown mark.
  func changes(
    since mark: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)?
}

extension ObjectStorage {
  /// Lists the first objects.
  public func checkAvailability() async throws(EventLogError) { _ = try await page(after: nil) }

  /// 4 MiB.
  public var rangeBytes: Int { ObjectLimits.rangeBytes }

  /// `false`: objects are read again, one in each sync.
  public var checksItself: Bool { false }

  /// 4 MiB.
  public var partBytes: Int { ObjectLimits.partBytes }

  /// `nil`: the place takes contents of any size.
  public var contentBytesMax: Int64? { nil }

  /// `nil`: the place keeps only events.
  public func storage(named name: String) -> (any ObjectStorage)? { nil }

  /// Calls ``list(after:)``, and treats only an empty result as the end.
  public func page(
    after name: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], isLast: Bool) {
    let objects = try await list(after: name)
    return (objects, objects.isEmpty)
  }

  /// Puts an object under the first name that isn't taken.
  ///
  /// - Parameters:
  ///   - name: Returns the next name to try.
  ///   - isSame: Whether an existing object with the name is equivalent, for example because the
  ///     answer to an earlier request was lost.
  ///   - choose: Chooses another name.
  /// - Returns: False if all names tried were taken.
  func put(
    _ bytes: [UInt8], as name: () -> String, or isSame: ([UInt8]) -> Bool,
    choosing choose: () -> Void
  ) async throws(EventLogError) -> Bool {
    for _ in 1...ObjectLimits.namesMax {
      if try await put(name(), bytes) { return true }
      if let existing = try await read(name()), isSame(existing) { return true }
      choose()
    }
    return false
  }

  /// The error after all names tried were taken.
  var namesAreTaken: EventLogError {
    EventLogError(
      .remoteFailed,
      "\"\(address)\" says that every name is taken, even new ones, so it stores nothing. Events"
        + " transferred so far are kept.",
      hint: "Check that it is the right place, and that nothing in between, such as a proxy,"
        + " changes requests.")
  }

  /// The storage doesn't track changes.
  public func changes(
    since mark: String?
  ) async throws(EventLogError) -> (objects: [StoredObject], mark: String)? { nil }
}
