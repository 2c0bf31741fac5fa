/// Something in a journal that is not as it should be.
public struct JournalProblem: Sendable, Hashable {
  /// What it is.
  public let code: Code
  /// The line, from 1.
  public let line: Int
  /// The byte it is about, from the start of the file.
  public let byte: Int64
  /// What happened and what it means for the data.
  public let message: String
  /// The device it concerns, where that can be told; for a damaged line, a reading of what is left.
  public let device: String?
  /// The first sequence it concerns, where that can be told.
  public let sequence: Int64?

  /// Whether events are missing, or count for nothing, because of it.
  public var isDamage: Bool {
    switch code {
    case .doubtfulTail, .note: false
    default: true
    }
  }

  /// Whether one is told before another: by the place, then by what it concerns.
  ///
  /// What is found at one place is found in another order by a reading that begins elsewhere.
  package static func stands(_ left: JournalProblem, before right: JournalProblem) -> Bool {
    (left.line, left.byte, left.device ?? "", left.sequence ?? 0, left.message)
      < (right.line, right.byte, right.device ?? "", right.sequence ?? 0, right.message)
  }

  /// What a problem is.
  public enum Code: Sendable, Hashable {
    /// The line's own bytes are no event.
    case line(LineFault.Code)
    /// Events that this line goes on from, or has seen, are not held.
    case gap
    /// A device's first event is no `device.joined`.
    case notJoined
    /// The device belongs to another user.
    case otherUser
    /// The event is none of those, or not the one, that its sender had stated.
    case otherThanStated
    /// Bytes at the end that were never acknowledged, or are in doubt.
    case doubtfulTail
    /// Nothing is missing because of it.
    case note(Note)

    /// The code as it is written in `--json`.
    public var text: String {
      switch self {
      case .line(let code): code.rawValue
      case .gap: "gap"
      case .notJoined: "notJoined"
      case .otherUser: "otherUser"
      case .otherThanStated: "otherThanStated"
      case .doubtfulTail: "doubtfulTail"
      case .note(let note): note.rawValue
      }
    }
  }

  /// What is worth to be known and costs nothing.
  public enum Note: String, Sendable, Hashable, CaseIterable {
    /// The same line a second time; it counts once.
    case repeatedLine
    /// Two copies wrote under one device ID; both histories count.
    case fork
    /// Bytes that are no event, in whose place the event is held again.
    case deadBytes
    /// Missing events, or damaged bytes, that somebody has acknowledged to be lost.
    case acknowledgedLoss
    /// The beginning of a batch whose end is not there: it does not count.
    case unfinishedBatch
    /// The event's type is not in the schema.
    case unknownType
    /// The event breaks a rule of its type.
    case brokenRule
    /// The event writes a register where the key is a set.
    case setKey
    /// A later version of the format wrote the event.
    case laterVersion
  }
}
