import EventLog

/// The error for the user after a failed exchange with a journal over a pipe.
struct PipeFailure {
  let address: String
  let fault: PipeFault
  /// Whether the other side has answered in the protocol before.
  let isGreeted: Bool
  /// The end of the program at the other side, if it has ended.
  let ending: ChannelEnding?
  /// The consequence for the data.
  let meaning: String

  var error: EventLogError {
    switch fault {
    case .canceled:
      return EventLogError(
        .canceled, "The sync was canceled. \(meaning)",
        hint: "Run it again to continue.")
    case .complaint(let complaint):
      return EventLogError(
        EventLogError.Code(known: complaint.code) ?? .remoteFailed,
        "\"\(address)\" \(fault.clause)",
        hint: complaint.hint.map { PipeFault.quoted(Array($0.utf8), PipeLimits.wordCountMax) })
    default:
      let (clause, hint) = clauseAndHint
      let words = words
      return EventLogError(
        isMissingCommand ? .remoteCommandMissing : .remoteFailed,
        "\"\(address)\" \(clause).\(words.isEmpty ? "" : " It said: \"\(words)\".")"
          + " \(meaning)",
        hint: hint)
    }
  }

  /// Whether it ended like a shell or `env` that can't find or run a program.
  private var isMissingCommand: Bool {
    guard case .ended = fault else { return false }
    return ending?.exitCode == 126 || ending?.exitCode == 127
  }

  private var words: String {
    let output = ending?.errorOutput ?? []
    let text = output.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
    return PipeFault.quoted(Array(text).suffix(PipeLimits.wordCountMax), PipeLimits.wordCountMax)
  }

  private var clauseAndHint: (String, String?) {
    switch fault {
    case .ended:
      switch ending?.exitCode {
      case _ where isMissingCommand:
        return (
          "could not be served: the eventlog command was not found there",
          "Install eventlog there, or specify its path."
        )
      // `ssh` exits with 255 for its own errors.
      case 255:
        return (
          "could not be reached",
          "Check the address, and that ssh can reach the machine."
        )
      default: break
      }
      if let signal = ending?.signal { return ("was stopped by signal \(signal)", retryHint) }
      if isGreeted { return (fault.clause, retryHint) }
      let code = ending?.exitCode.map { " (exit code \($0))" } ?? ""
      return (
        "closed the connection before it answered\(code)", "Check that the command runs there."
      )
    case .garbage: return (fault.clause, Self.otherProgram)
    case .unexpected, .messageTooLong: return (fault.clause, isGreeted ? nil : Self.otherProgram)
    case .laterVersion: return (fault.clause, "Update eventlog on this side.")
    case .silent, .useless, .broken: return (fault.clause, retryHint)
    default: return (fault.clause, nil)
    }
  }

  private static let otherProgram =
    "The program there must serve a journal, and nothing else may print anything: check what a"
    + " login prints."

  private var retryHint: String { "Run it again to continue." }
}

extension EventLogError.Code {
  /// Returns nil for a code that a remote of this version doesn't report.
  fileprivate init?(known text: String) {
    let codes: [EventLogError.Code] = [
      .inputOutput, .noJournal, .notAJournal, .damaged, .locked, .syncFailed, .otherUser,
      .userNeeded, .remoteFailed, .journalReplaced,
    ]
    guard let code = codes.first(where: { $0.text == text }) else { return nil }
    self = code
  }
}
