/// What went wrong: a code to act on, where it happened, and a sentence for a person.
///
/// The sentence says what happened, where, and what it means for the data; ``hint`` says what to do
/// next. Values from `data` never appear in either.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// What happened, where, and what it means for the data.
  public let message: String
  /// What to do next, where there is something.
  public let hint: String?
  /// The file, line and byte, where it is about one.
  public let location: Location
  /// The error of the operating system behind it, if one is.
  public let cause: Errno?

  /// For `changedMeanwhile`: what would have been replaced unseen.
  public let unseen: [UnseenWrite]

  /// Where in a file an error is.
  public struct Location: Sendable, Hashable {
    /// The path, as it was given.
    public var file: String?
    /// From 1.
    public var line: Int?
    /// From the start of the file, from 0.
    public var byte: Int64?

    /// A place, as far as it is known.
    public init(file: String? = nil, line: Int? = nil, byte: Int64? = nil) {
      self.file = file
      self.line = line
      self.byte = byte
    }
  }

  package init(
    _ code: Code, _ message: String, hint: String? = nil, at location: Location = Location(),
    cause: Errno? = nil, unseen: [UnseenWrite] = []
  ) {
    self.unseen = unseen
    self.code = code
    self.message = message
    self.hint = hint
    self.location = location
    self.cause = cause
  }

  /// An error of how a command was called.
  public init(usage message: String, hint: String? = nil) {
    self.init(.usage, message, hint: hint)
  }

  /// An error of what was given as an event or a value.
  public init(invalidInput message: String, hint: String? = nil) {
    self.init(.invalidInput, message, hint: hint)
  }

  /// An error of a remote, for those who write one: what happened, and what it means for the data.
  public init(remoteFailed message: String, hint: String? = nil) {
    self.init(.remoteFailed, message, hint: hint)
  }

  /// The work was done; only its result could not be handed over.
  public init(
    writtenUnsaid message: String, hint: String = "Do not repeat it: it would be written twice."
  ) {
    self.init(.inputOutput, message, hint: hint)
  }

  /// The message, and the hint on a line of its own.
  public var description: String { hint.map { "\(message)\nHint: \($0)" } ?? message }
}

extension EventLogError {
  /// A kind of failure; further ones may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// Stable across releases.
    public let text: String
    /// ``text``.
    public var description: String { text }

    private init(_ text: String) { self.text = text }
    /// A code that was kept in a file.
    init(kept text: String) { self.text = text }

    /// A file or folder could not be read, written, locked or synced.
    public static let inputOutput = Code("inputOutput")
    /// There is no journal at the path.
    public static let noJournal = Code("noJournal")
    /// The file holds no event: it is something else, and is left alone.
    public static let notAJournal = Code("notAJournal")
    /// The journal has damage or gaps, and the call needs all of it.
    public static let damaged = Code("damaged")
    /// Another process held the journal's lock for longer than the caller waits.
    public static let locked = Code("locked")
    /// A sync failed: what was appended last may not be on the disk.
    public static let syncFailed = Code("syncFailed")
    /// The journal belongs to somebody else.
    public static let otherUser = Code("otherUser")
    /// A new journal needs to know whose it is.
    public static let userNeeded = Code("userNeeded")
    /// The event's type is not known.
    public static let unknownType = Code("unknownType")
    /// The type is written by the store only.
    public static let reservedType = Code("reservedType")
    /// The event breaks a rule of its type.
    public static let invalidEvent = Code("invalidEvent")
    /// The journal does not hold the event.
    public static let noEvent = Code("noEvent")
    /// The journal holds no event of the device.
    public static let noDevice = Code("noDevice")
    /// The entity does not exist.
    public static let noEntity = Code("noEntity")
    /// Nothing was ever written to the field.
    public static let noField = Code("noField")
    /// The entity is deleted here.
    public static let deletedEntity = Code("deletedEntity")
    /// The entity exists already.
    public static let entityExists = Code("entityExists")
    /// A write would replace a value that its writer had not seen.
    public static let changedMeanwhile = Code("changedMeanwhile")
    /// There is no such conflict, or it is settled.
    public static let noConflict = Code("noConflict")
    /// The line would be longer than the format allows.
    public static let eventTooLarge = Code("eventTooLarge")
    /// What was given is not JSON, or not of the form that is needed.
    public static let invalidInput = Code("invalidInput")
    /// A declaration of collections contradicts itself, or is not of the form that is needed.
    public static let invalidSchema = Code("invalidSchema")
    /// The task was cancelled.
    public static let cancelled = Code("cancelled")
    /// The remote could not be reached, or what it says makes no sense.
    public static let remoteFailed = Code("remoteFailed")
    /// The command that serves a journal was not found on the other machine.
    public static let remoteCommandMissing = Code("remoteCommandMissing")
    /// A remote brings more device IDs than a replication may at once, or a field was written by
    /// more than its history can be told of.
    public static let tooManyDevices = Code("tooManyDevices")
    /// The command was called with arguments it does not understand.
    public static let usage = Code("usage")
  }

  /// The same failure, met after something had been done: it does not say that nothing was.
  ///
  /// - Parameter meaning: what it means for the data instead.
  public func afterChanges(_ meaning: String) -> EventLogError {
    let claims = [". Nothing was ", ". The journal is as it was", ". The journal was not changed"]
    guard let claim = claims.compactMap({ message.ranges(of: $0).last }).first else { return self }
    return EventLogError(
      code, "\(message[..<claim.lowerBound]). \(meaning)", hint: hint, at: location, cause: cause,
      unseen: unseen)
  }

  /// A failed call of the operating system.
  package static func inputOutput(
    _ action: String, _ path: String, _ cause: Errno, meaning: String? = nil, hint: String? = nil
  ) -> EventLogError {
    EventLogError(
      .inputOutput,
      "Could not \(action) \"\(path)\": \(cause)." + (meaning.map { " \($0)" } ?? ""),
      hint: hint, at: Location(file: path), cause: cause)
  }
}
