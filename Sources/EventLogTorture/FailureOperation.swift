/// A use of the command in which calls are made to fail.
struct FailureOperation {
  let name: String
  let words: [String]
  var input = ""
  /// The process in which calls fail.
  var side = Command.Side.other
  /// Whether it only reads: it leaves no trace, and gives the same answer or an error.
  var isReading = false
  /// Whether it reads a shared folder, in which an unreadable file counts as not there yet.
  var readsFolder = false
  /// The refs of the events that it appends: each exists once in the end.
  var refs: [String] = []
  /// The program to run.
  var program = Command.Program.eventlog
  /// The adoption that it performs or undoes, or nil.
  var adoption: Adoption?
  /// The exit codes of a repetition after it has succeeded.
  var codesAgain: Set<Int32> = [0]

  /// An adoption: the adopting journal only grows, and a repetition writes nothing.
  enum Adoption {
    /// From one journal into another.
    case journal(guest: String, account: String)
    /// From the guest of a folder of accounts into the journal of a user.
    case folder(String, user: String)
    /// Adopts nothing, but hides the adopted events.
    case undo(account: String)
  }

  private static let batch = (1...5).map {
    #"{"type":"settings.changed","data":{"n":\#($0)},"ref":"batch\#($0)"}"# + "\n"
  }.joined()

  static let all: [FailureOperation] =
    [
      FailureOperation(
        name: "append", words: ["append", "a.jsonl", "--ref", "one", "settings.changed", "x=1"],
        refs: ["one"]),
      FailureOperation(
        name: "append of a batch", words: ["append", "a.jsonl", "-"], input: batch,
        refs: (1...5).map { "batch\($0)" }),
      FailureOperation(
        name: "append to a new journal",
        words: [
          "append", "new.jsonl", "--user", "ada", "--ref", "one", "settings.changed", "x=1",
        ], refs: ["one"]),
      FailureOperation(
        name: "append after a torn end",
        words: ["append", "torn.jsonl", "--ref", "one", "settings.changed", "x=1"], refs: ["one"]),
      FailureOperation(
        name: "append to a copy",
        words: ["append", "copy.jsonl", "--ref", "one", "settings.changed", "x=1"], refs: ["one"]),
      FailureOperation(
        name: "resolve",
        words: ["resolve", "a.jsonl", "settings#theme", "--value", "\"grey\""], codesAgain: [0, 2]),
      FailureOperation(name: "status", words: ["status", "a.jsonl"], isReading: true),
      FailureOperation(name: "replay", words: ["replay", "a.jsonl", "--json"], isReading: true),
      FailureOperation(name: "project", words: ["project", "a.jsonl", "--json"], isReading: true),
      FailureOperation(
        name: "project at a time", words: ["project", "a.jsonl", "--at", "2999-01-01T00:00:00Z"],
        isReading: true),
      FailureOperation(
        name: "project with a schema", words: ["project", "a.jsonl", "--schema", "plants.json"],
        isReading: true),
      FailureOperation(
        name: "why", words: ["why", "a.jsonl", "settings", "theme"], isReading: true),
      FailureOperation(name: "conflicts", words: ["conflicts", "a.jsonl"], isReading: true),
      FailureOperation(name: "diff", words: ["diff", "a.jsonl", "b.jsonl"], isReading: true),
      FailureOperation(name: "verify", words: ["verify", "a.jsonl"], isReading: true),
      FailureOperation(
        name: "verify of a damaged journal", words: ["verify", "hurt.jsonl"], isReading: true),
      FailureOperation(name: "sync with a journal", words: ["sync", "a.jsonl", "b.jsonl"]),
      FailureOperation(name: "sync with a folder", words: ["sync", "a.jsonl", "Shared"]),
      FailureOperation(name: "sync with a new folder", words: ["sync", "a.jsonl", "Fresh"]),
      FailureOperation(name: "sync through a pipe", words: ["sync", "a.jsonl", "desk:c.jsonl"]),
      FailureOperation(
        name: "serve", words: ["sync", "a.jsonl", "desk:c.jsonl"], side: .serve),
      FailureOperation(name: "sync with all remotes", words: ["sync", "a.jsonl"]),
      FailureOperation(name: "sync that begins a journal", words: ["sync", "new.jsonl", "Shared"]),
      FailureOperation(
        name: "plan of a sync", words: ["sync", "a.jsonl", "Shared", "--plan"], isReading: true,
        readsFolder: true),
      FailureOperation(
        name: "repair from a journal", words: ["repair", "hurt.jsonl", "--from", "b.jsonl"]),
      FailureOperation(
        name: "repair that accepts a loss", words: ["repair", "lost.jsonl", "--accept-loss"]),
    ] + accounts
}

extension FailureOperation {
  /// Adoptions, and sign-ins of guests.
  fileprivate static let accounts: [FailureOperation] = [
    FailureOperation(
      name: "adopt", words: ["adopt", "a.jsonl", "guest.jsonl"],
      adoption: .journal(guest: "guest.jsonl", account: "a.jsonl")),
    FailureOperation(
      name: "adopt into a new journal",
      words: ["adopt", "new.jsonl", "guest.jsonl", "--user", "ada"],
      adoption: .journal(guest: "guest.jsonl", account: "new.jsonl")),
    FailureOperation(
      name: "plan of an adoption", words: ["adopt", "a.jsonl", "guest.jsonl", "--plan"],
      isReading: true),
    FailureOperation(
      name: "undo of an adoption", words: ["adopt", "adopted.jsonl", "--undo", "guest-1"],
      adoption: .undo(account: "adopted.jsonl")),
    FailureOperation(name: "accounts", words: ["accounts", "Accounts"], isReading: true),
    FailureOperation(
      name: "sign-in", words: ["Accounts", "sign-in", "ada"], program: .accounts,
      adoption: .folder("Accounts", user: "ada")),
    FailureOperation(
      name: "sign-in of a new account", words: ["Accounts", "sign-in", "bea"], program: .accounts,
      adoption: .folder("Accounts", user: "bea")),
    FailureOperation(
      name: "opening behind an interrupted sign-in", words: ["Begun", "current"],
      program: .accounts, adoption: .folder("Begun", user: "ada")),
    FailureOperation(
      name: "sign-out", words: ["Signed", "sign-out"], program: .accounts),
  ]
}
