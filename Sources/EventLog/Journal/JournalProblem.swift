/// A problem or a note about a line of a journal.
public struct JournalProblem: Sendable, Hashable {
  /// The kind of problem.
  public let code: Code
  /// The line number, starting at 1.
  public let line: Int
  /// The offset of the byte that the problem is about, from the start of the file.
  public let byte: Int64
  /// A description of the problem and its effect on the data.
  public let message: String
  /// The device that the problem concerns, or `nil` if it can't be determined.
  ///
  /// For a damaged line, this value is read from the remaining bytes and may be wrong.
  public let device: String?
  /// The sequence number of the first event that the problem concerns, or `nil` if it can't be
  /// determined.
  public let sequence: Int64?

  /// A Boolean value that indicates whether events are missing or don't count because of the
  /// problem.
  public var isDamage: Bool {
    switch code {
    case .doubtfulTail, .note: false
    default: true
    }
  }

  /// Orders problems by position, then by device, sequence and message.
  ///
  /// A reading that begins elsewhere may find the problems of a line in a different order.
  package static func stands(_ left: JournalProblem, before right: JournalProblem) -> Bool {
    (left.line, left.byte, left.device ?? "", left.sequence ?? 0, left.message)
      < (right.line, right.byte, right.device ?? "", right.sequence ?? 0, right.message)
  }

  /// The kind of a problem.
  public enum Code: Sendable, Hashable {
    /// The line's bytes are not an event.
    case line(LineFault.Code)
    /// The line refers to events that the journal doesn't contain.
    case gap
    /// Events that the file contained are gone: it was rolled back to an earlier state, or its end
    /// was cut off or damaged.
    case cutOff
    /// A device's first event is not a `device.joined` event.
    case notJoined
    /// The device belongs to another user.
    case otherUser
    /// The event was erased, but no event names it as erased.
    case unnamedErasure
    /// The sender transferred a different event than the one it stated.
    case otherThanStated
    /// The end of the file may be a torn write.
    case doubtfulTail
    /// A note about something because of which nothing is missing.
    case note(Note)

    /// The code as `--json` prints it.
    public var text: String {
      switch self {
      case .line(let code): code.rawValue
      case .gap: "gap"
      case .cutOff: "cutOff"
      case .notJoined: "notJoined"
      case .otherUser: "otherUser"
      case .unnamedErasure: "unnamedErasure"
      case .otherThanStated: "otherThanStated"
      case .doubtfulTail: "doubtfulTail"
      case .note(let note): note.rawValue
      }
    }
  }

  /// A finding because of which nothing is missing.
  public enum Note: String, Sendable, Hashable, CaseIterable {
    /// The line is a repetition of an earlier line.
    ///
    /// The event counts once.
    case repeatedLine
    /// Two copies wrote under one device ID.
    ///
    /// Both histories count.
    case fork
    /// The file begins with a byte-order mark, which is skipped.
    case byteOrderMark
    /// The bytes are not an event, but the event they contained is present elsewhere.
    case deadBytes
    /// Events or bytes whose loss was acknowledged.
    case acknowledgedLoss
    /// The end of a batch is missing, so its events don't count.
    case unfinishedBatch
    /// The schema doesn't contain the event's type.
    case unknownType
    /// The event breaks a rule of its type.
    case brokenRule
    /// A value breaks the rule of its field, perhaps because a later version of the app wrote it.
    ///
    /// The event's other fields apply.
    case unreadableValue
    /// The event writes a register under a key that is a set.
    case setKey
    /// The event was written by a later version of the format.
    case laterVersion
  }
}
