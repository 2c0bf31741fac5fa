import EventLog

/// One verb of the command line.
struct Verb: Sendable {
  /// The exit status of a run without an error.
  enum ExitStatus: Int32 {
    /// Done, equal or sound.
    case yes = 0
    /// Different, damaged, partly refused, or in conflict.
    case no = 1
  }

  var name: String
  var summary: String
  /// The usage after `eventlog`, one form per line.
  var usage: [String]
  var options: [OptionSpec]
  /// The maximum number of operands, including the journal, or nil for any number.
  var operandsMax: Int?
  /// Commands, and the purpose of each.
  var examples: [(command: String, meaning: String)]
  /// Additional paragraphs of the help.
  var notes: [String] = []
  var run: @Sendable (Arguments, Console) async throws -> ExitStatus

  static let all: [Verb] = [
    .append, .importing, .attachments, .replay, .project, .why, .conflicts, .resolve, .sync,
    .login, .diff, .adopt, .publish, .verify, .repair, .erase, .status, .types, .accounts,
    .crashes, .serve, .help,
  ]

  /// Returns the path of the journal, which is a verb's first operand.
  static func journal(
    _ arguments: Arguments, _ verb: String
  ) throws(EventLogError) -> String {
    guard let path = arguments.operands.first else {
      throw .usage("eventlog \(verb) needs the path of a journal.", verb)
    }
    return path
  }

  /// Returns the state of a journal, and prints damage as warnings.
  static func state(
    of path: String, _ arguments: Arguments, _ console: Console, _ verb: String
  ) throws -> Snapshot {
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    let read = try journal.snapshot(
      at: try arguments.cut(verb), includingDeleted: arguments.has("deleted"))
    console.warn(ofDamage: read.firstDamage, of: read.damageCount, in: path)
    console.warn(read.warnings, of: path)
    console.note(undeclared: read.snapshot.unknownNames, in: path)
    return read.snapshot
  }
}
