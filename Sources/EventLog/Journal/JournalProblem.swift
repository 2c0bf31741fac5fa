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

  /// Whether events are missing or stranded because of it.
  public var isDamage: Bool {
    switch code {
    case .repeatedLine, .doubtfulTail, .note: false
    default: true
    }
  }

  /// What a problem is.
  public enum Code: Sendable, Hashable {
    /// The line's own bytes are no event.
    case line(LineFault.Code)
    /// Sequences of a device are missing before this line.
    case gap
    /// The line stands behind one that a later sequence names.
    case outOfOrder
    /// The same line a second time; it counts once.
    case repeatedLine
    /// Two different events under one ID.
    case fork
    /// The chain digits do not continue the device's previous event.
    case chainMismatch
    /// `seen` names an event that this file does not hold before the line.
    case unseenEvent
    /// An entry of `seen` is not greater than the last one stated.
    case staleSeen
    /// A device's first event is no `device.joined`.
    case notJoined
    /// The device belongs to another user.
    case otherUser
    /// The event is none of those, or not the one, that its sender had stated.
    case otherThanStated
    /// Bytes at the end that were never acknowledged, or are in doubt.
    case doubtfulTail
    /// Nothing wrong with the line; its event changes no field here.
    case note(Note)

    /// The code as it is written in `--json`.
    public var text: String {
      switch self {
      case .line(let code): code.rawValue
      case .gap: "gap"
      case .outOfOrder: "outOfOrder"
      case .repeatedLine: "repeatedLine"
      case .fork: "fork"
      case .chainMismatch: "chainMismatch"
      case .unseenEvent: "unseenEvent"
      case .staleSeen: "staleSeen"
      case .notJoined: "notJoined"
      case .otherUser: "otherUser"
      case .otherThanStated: "otherThanStated"
      case .doubtfulTail: "doubtfulTail"
      case .note(let note): note.rawValue
      }
    }
  }

  /// Why an event that is sound changes no field.
  public enum Note: String, Sendable, Hashable {
    /// Its type is not in the schema.
    case unknownType
    /// It breaks a rule of its type.
    case brokenRule
    /// It writes a register where the key is a set.
    case setKey
    /// A later version of the format wrote it.
    case laterVersion
  }
}

/// The problems of one reading, in the order of the file.
package struct ProblemLog: Sendable {
  /// Beyond this many, problems are only counted: a file of garbage must not fill the memory.
  package static let keptMax = 10_000

  package internal(set) var kept: [JournalProblem] = []
  package internal(set) var count = 0
  package internal(set) var damageCount = 0
  /// The first that is damage.
  package internal(set) var firstDamage: JournalProblem?

  package init() {}

  package mutating func add(_ problem: JournalProblem) {
    count += 1
    if problem.isDamage {
      damageCount += 1
      if firstDamage == nil { firstDamage = problem }
    }
    if kept.count < Self.keptMax { kept.append(problem) }
  }

  package mutating func sort() {
    kept.sort { ($0.line, $0.byte) < ($1.line, $1.byte) }
    firstDamage = kept.first { $0.isDamage } ?? firstDamage
  }
}
