/// A run of the command in which system calls are made to fail.
struct FailureOperation {
  let name: String
  let arguments: [String]
  var input = ""
  /// The process in which calls fail.
  var side = Command.Side.other
  /// Whether it only reads. It must then leave no trace, and print the same output or an error.
  var isReading = false
  /// Whether it reads a shared folder, in which an unreadable file counts as late.
  var readsFolder = false
  /// The refs of the events that it appends. Each must exist once at the end.
  var refs: [String] = []
  /// The program to run.
  var program = Command.Program.eventlog
  /// The adoption that it performs or undoes, or nil.
  var adoption: Adoption?
  /// The exit codes allowed when the operation runs again after it succeeded.
  var codesAgain: Set<Int32> = [0]

  /// An adoption: the adopting journal only grows, and a repetition writes nothing.
  enum Adoption {
    /// From one journal into another.
    case journal(guest: String, account: String)
    /// From the guest of a folder of accounts into the journal of a user.
    case folder(String, user: String)
    /// The undo of an adoption, which only hides the adopted events.
    case undo(account: String)
  }

  private static let batch = (1...5).map {
    #"{"type":"settings.changed","data":{"n":\#($0)},"ref":"batch\#($0)"}"# + "\n"
  }.joined()

  static let all: [FailureOperation] =
    [
      FailureOperation(
        name: "append",
        arguments: ["append", "a.jsonl", "--ref", "one", "settings.changed", "x=1"],
        refs: ["one"]),
      FailureOperation(
        name: "append of a batch", arguments: ["append", "a.jsonl", "-"], input: batch,
        refs: (1...5).map { "batch\($0)" }),
      FailureOperation(
        name: "append to a new journal",
        arguments: [
          "append", "new.jsonl", "--user", "ada", "--ref", "one", "settings.changed", "x=1",
        ], refs: ["one"]),
      FailureOperation(
        name: "append after a torn end",
        arguments: ["append", "torn.jsonl", "--ref", "one", "settings.changed", "x=1"],
        refs: ["one"]),
      FailureOperation(
        name: "append to a copy",
        arguments: ["append", "copy.jsonl", "--ref", "one", "settings.changed", "x=1"],
        refs: ["one"]),
      FailureOperation(
        name: "resolve",
        arguments: ["resolve", "a.jsonl", "settings#theme", "--value", "\"grey\""],
        codesAgain: [0, 2]),
      FailureOperation(name: "status", arguments: ["status", "a.jsonl"], isReading: true),
      FailureOperation(
        name: "replay", arguments: ["replay", "a.jsonl", "--json"], isReading: true),
      FailureOperation(
        name: "project", arguments: ["project", "a.jsonl", "--json"], isReading: true),
      FailureOperation(
        name: "project at a time",
        arguments: ["project", "a.jsonl", "--at", "2999-01-01T00:00:00Z"],
        isReading: true),
      FailureOperation(
        name: "project with a schema",
        arguments: ["project", "a.jsonl", "--schema", "plants.json"],
        isReading: true),
      FailureOperation(
        name: "why", arguments: ["why", "a.jsonl", "settings", "theme"], isReading: true),
      FailureOperation(name: "conflicts", arguments: ["conflicts", "a.jsonl"], isReading: true),
      FailureOperation(name: "diff", arguments: ["diff", "a.jsonl", "b.jsonl"], isReading: true),
      FailureOperation(name: "verify", arguments: ["verify", "a.jsonl"], isReading: true),
      FailureOperation(
        name: "verify of a damaged journal", arguments: ["verify", "hurt.jsonl"], isReading: true),
      FailureOperation(name: "sync with a journal", arguments: ["sync", "a.jsonl", "b.jsonl"]),
      FailureOperation(name: "sync with a folder", arguments: ["sync", "a.jsonl", "Shared"]),
      FailureOperation(name: "sync with a new folder", arguments: ["sync", "a.jsonl", "Fresh"]),
      FailureOperation(
        name: "sync through a pipe", arguments: ["sync", "a.jsonl", "desk:c.jsonl"]),
      FailureOperation(
        name: "serve", arguments: ["sync", "a.jsonl", "desk:c.jsonl"], side: .serve),
      FailureOperation(name: "sync with all remotes", arguments: ["sync", "a.jsonl"]),
      FailureOperation(
        name: "sync that begins a journal", arguments: ["sync", "new.jsonl", "Shared"]),
      FailureOperation(
        name: "plan of a sync", arguments: ["sync", "a.jsonl", "Shared", "--plan"], isReading: true,
        readsFolder: true),
      FailureOperation(
        name: "repair from a journal", arguments: ["repair", "hurt.jsonl", "--from", "b.jsonl"]),
      FailureOperation(
        name: "repair that accepts a loss", arguments: ["repair", "lost.jsonl", "--accept-loss"]),
    ] + accounts
}

extension FailureOperation {
  /// Adoptions, and sign-ins of guests.
  fileprivate static let accounts: [FailureOperation] = [
    FailureOperation(
      name: "adopt", arguments: ["adopt", "a.jsonl", "guest.jsonl"],
      adoption: .journal(guest: "guest.jsonl", account: "a.jsonl")),
    FailureOperation(
      name: "adopt into a new journal",
      arguments: ["adopt", "new.jsonl", "guest.jsonl", "--user", "ada"],
      adoption: .journal(guest: "guest.jsonl", account: "new.jsonl")),
    FailureOperation(
      name: "plan of an adoption", arguments: ["adopt", "a.jsonl", "guest.jsonl", "--plan"],
      isReading: true),
    FailureOperation(
      name: "undo of an adoption", arguments: ["adopt", "adopted.jsonl", "--undo", "guest-1"],
      adoption: .undo(account: "adopted.jsonl")),
    FailureOperation(name: "accounts", arguments: ["accounts", "Accounts"], isReading: true),
    FailureOperation(
      name: "sign-in", arguments: ["Accounts", "sign-in", "ada"], program: .accounts,
      adoption: .folder("Accounts", user: "ada")),
    FailureOperation(
      name: "sign-in of a new account", arguments: ["Accounts", "sign-in", "bea"],
      program: .accounts,
      adoption: .folder("Accounts", user: "bea")),
    FailureOperation(
      name: "opening after an interrupted sign-in", arguments: ["Begun", "current"],
      program: .accounts, adoption: .folder("Begun", user: "ada")),
    FailureOperation(
      name: "sign-out", arguments: ["Signed", "sign-out"], program: .accounts),
  ]
}
