/// An error with a code to act on, its location, and a message for the user.
///
/// The ``message`` says what happened, where, and what it means for the data. The ``hint`` says
/// what to do next. Neither contains values from an event's data, except the SHA-256 of an
/// attachment.
///
/// In this reference, the errors that a method throws are listed by their ``code``.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// A description of the failure and its effect on the data.
  public let message: String
  /// A suggestion for what to do next, or `nil` if there is none.
  public let hint: String?
  /// The file, line, and byte that the error is about, as far as they are known.
  public let location: Location
  /// The operating system's error, or `nil` if it wasn't the cause.
  public let cause: Errno?

  /// For `changedMeanwhile`, the later writes that would have been replaced.
  ///
  /// Empty for other codes.
  public let unseen: [UnseenWrite]

  /// The time that the remote asks clients to wait, or `nil` if it specified none.
  ///
  /// A replicator waits at least this long before the next sync.
  public let retryAfter: Duration?

  /// A position in a file.
  public struct Location: Sendable, Hashable {
    /// The path of the file, as it was given.
    public var file: String?
    /// The line number, starting at 1.
    public var line: Int?
    /// The offset of the byte from the start of the file, starting at 0.
    public var byte: Int64?

    /// Creates a location from its known parts.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - line: The line number, starting at 1.
    ///   - byte: The offset of the byte from the start of the file, starting at 0.
    public init(file: String? = nil, line: Int? = nil, byte: Int64? = nil) {
      self.file = file
      self.line = line
      self.byte = byte
    }
  }

  package init(
    _ code: Code, _ message: String, hint: String? = nil, at location: Location = Location(),
    cause: Errno? = nil, unseen: [UnseenWrite] = [], retryAfter: Duration? = nil
  ) {
    self.unseen = unseen
    self.retryAfter = retryAfter
    self.code = code
    self.message = message
    self.hint = hint
    self.location = location
    self.cause = cause
  }

  /// Creates an error with the code `usage`, about the arguments of a command.
  ///
  /// - Parameters:
  ///   - message: A description of the failure.
  ///   - hint: A suggestion for what to do next.
  public init(usage message: String, hint: String? = nil) {
    self.init(.usage, message, hint: hint)
  }

  /// Creates an error with the code `invalidInput`, about an invalid event or value.
  ///
  /// - Parameters:
  ///   - message: A description of the failure.
  ///   - hint: A suggestion for what to do next.
  public init(invalidInput message: String, hint: String? = nil) {
    self.init(.invalidInput, message, hint: hint)
  }

  /// Creates an error with the code `remoteFailed`.
  ///
  /// Throw it from your own `ObjectStorage`.
  ///
  /// - Parameters:
  ///   - message: A description of the failure and its effect on the data.
  ///   - hint: A suggestion for what to do next.
  ///   - retryAfter: The time that the remote asks clients to wait.
  public init(remoteFailed message: String, hint: String? = nil, retryAfter: Duration? = nil) {
    self.init(.remoteFailed, message, hint: hint, retryAfter: retryAfter)
  }

  /// Creates an error with the code `inputOutput` for work that is done, but whose result couldn't
  /// be output.
  ///
  /// - Parameters:
  ///   - message: A description of the failure.
  ///   - hint: A suggestion for what to do next.
  public init(
    writtenUnsaid message: String,
    hint: String = "Do not run it again, or it will be written twice."
  ) {
    self.init(.inputOutput, message, hint: hint)
  }

  /// The message, followed by the hint on a separate line.
  public var description: String { hint.map { "\(message)\nHint: \($0)" } ?? message }
}

extension EventLogError {
  /// The kind of a failure.
  ///
  /// Future versions may add codes.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, which is stable across releases.
    public let text: String
    /// The name of the code, the same as ``text``.
    public var description: String { text }

    private init(_ text: String) { self.text = text }
    /// A code that was stored in a file.
    init(kept text: String) { self.text = text }

    /// A file or folder couldn't be read, written, locked, or synced.
    public static let inputOutput = Code("inputOutput")
    /// The journal doesn't exist.
    public static let noJournal = Code("noJournal")
    /// The file contains no event, so it isn't a journal.
    ///
    /// It is left unchanged.
    public static let notAJournal = Code("notAJournal")
    /// The journal's file was deleted or replaced while it was open.
    ///
    /// The store refuses all later calls; open the journal again.
    public static let journalReplaced = Code("journalReplaced")
    /// The journal has damage or gaps, and the call requires all of it.
    public static let damaged = Code("damaged")
    /// Another process held the journal's lock for longer than the maximum wait.
    public static let locked = Code("locked")
    /// Syncing to disk failed, so the last append may not be on disk.
    public static let syncFailed = Code("syncFailed")
    /// The journal belongs to another user.
    public static let otherUser = Code("otherUser")
    /// A new journal requires a user.
    public static let userNeeded = Code("userNeeded")
    /// The type of the event is unknown.
    public static let unknownType = Code("unknownType")
    /// Only the store itself writes events of this type.
    public static let reservedType = Code("reservedType")
    /// The event breaks a rule of its type.
    public static let invalidEvent = Code("invalidEvent")
    /// The journal doesn't contain the event.
    public static let noEvent = Code("noEvent")
    /// The journal contains no events of the device.
    public static let noDevice = Code("noDevice")
    /// The entity doesn't exist.
    public static let noEntity = Code("noEntity")
    /// The field was never written.
    public static let noField = Code("noField")
    /// The entity is deleted.
    public static let deletedEntity = Code("deletedEntity")
    /// The entity already exists.
    public static let entityExists = Code("entityExists")
    /// The write would replace a value that its writer hadn't seen.
    public static let changedMeanwhile = Code("changedMeanwhile")
    /// The published state includes events that the journal doesn't contain.
    public static let behind = Code("behind")
    /// The conflict doesn't exist or is already resolved.
    public static let noConflict = Code("noConflict")
    /// Signing out would remove events that may be nowhere else.
    public static let eventsOnlyHere = Code("eventsOnlyHere")
    /// The event or batch is larger than the format allows.
    public static let eventTooLarge = Code("eventTooLarge")
    /// The input isn't JSON, or doesn't have the required form.
    public static let invalidInput = Code("invalidInput")
    /// A declaration of collections is invalid or contradicts another one.
    public static let invalidSchema = Code("invalidSchema")
    /// The task was canceled.
    public static let canceled = Code("canceled")
    /// The remote couldn't be reached, or sent an invalid answer.
    public static let remoteFailed = Code("remoteFailed")
    /// The remote requires a sign-in, or no longer accepts the last one.
    public static let signInNeeded = Code("signInNeeded")
    /// The e-mail address, or the identity of another provider, already belongs to an account.
    public static let accountExists = Code("accountExists")
    /// The remote doesn't allow the account that is signed in to do this.
    public static let accessDenied = Code("accessDenied")
    /// The remote's storage is full, or it accepts no more requests today.
    public static let quotaExceeded = Code("quotaExceeded")
    /// The remote's address or settings are wrong, for example because its bucket doesn't exist.
    public static let wrongAddress = Code("wrongAddress")
    /// The remote's server couldn't prove its identity.
    ///
    /// Nothing was sent to it.
    public static let untrustedServer = Code("untrustedServer")
    /// The command that serves a journal wasn't found on the other machine.
    public static let remoteCommandMissing = Code("remoteCommandMissing")
    /// A remote has more device IDs than the journal accepts, or too many devices wrote a field to
    /// list its history.
    public static let tooManyDevices = Code("tooManyDevices")
    /// A command or a method was called in a way that can't work, whatever the journal contains.
    ///
    /// For example, the store is closed, or the remote is the journal itself.
    public static let usage = Code("usage")
  }

  /// Returns this error for the case that something was already changed.
  ///
  /// The returned error doesn't claim that nothing was written.
  ///
  /// - Parameter meaning: A sentence that describes the effect on the data instead.
  public func afterChanges(_ meaning: String) -> EventLogError {
    let claims = [". Nothing was ", ". The journal is unchanged"]
    guard let claim = claims.compactMap({ message.ranges(of: $0).last }).first else { return self }
    return EventLogError(
      code, "\(message[..<claim.lowerBound]). \(meaning)", hint: hint, at: location, cause: cause,
      unseen: unseen, retryAfter: retryAfter)
  }

  package static func inputOutput(
    _ action: String, _ path: String, _ cause: Errno, meaning: String? = nil, hint: String? = nil
  ) -> EventLogError {
    EventLogError(
      .inputOutput,
      "Could not \(action) \"\(path)\": \(cause)." + (meaning.map { " \($0)" } ?? ""),
      hint: hint, at: Location(file: path), cause: cause)
  }
}
