import EventLog

/// One verb of the command line.
struct Verb: Sendable {
  /// What a run answers by its exit code.
  enum Answer: Int32 {
    /// Done, same, sound.
    case yes = 0
    /// The answer is "differs" or "damaged".
    case no = 1
  }

  var name: String
  var summary: String
  /// The words after `eventlog`, one way to call it per line.
  var usage: [String]
  var options: [OptionSpec]
  /// How many words it takes, the journal included; nil: any number.
  var wordsMax: Int?
  /// Command and what it does.
  var examples: [(command: String, meaning: String)]
  /// Further paragraphs of the help.
  var notes: [String] = []
  var run: @Sendable (Arguments, Console) async throws -> Answer

  static let all: [Verb] = [
    .append, .importing, .replay, .project, .why, .conflicts, .resolve, .sync, .login, .diff,
    .adopt, .publish, .verify, .repair, .status, .types, .accounts, .serve, .help,
  ]

  /// The file that a verb's first word names.
  static func journal(
    _ arguments: Arguments, _ verb: String
  ) throws(EventLogError) -> String {
    guard let path = arguments.words.first else {
      throw .usage("eventlog \(verb) needs the path of a journal.", verb)
    }
    return path
  }

  /// The state of a journal; damage is a warning.
  static func state(
    of path: String, _ arguments: Arguments, _ console: Console, _ verb: String
  ) throws -> Snapshot {
    let journal = try console.journals([path], arguments.catalog(), user: arguments["user"])[0]
    let read = try journal.snapshot(
      at: try arguments.cut(verb), includingDeleted: arguments.has("deleted"))
    console.warn(ofDamage: read.firstDamage, of: read.damageCount, in: path)
    console.warn(read.warnings, of: path)
    console.note(ofUnknown: read.snapshot.unknownNames, in: path)
    return read.snapshot
  }
}
