import Testing

/// A situation in which the command suggests a further command.
struct HintScenario: Sendable, CustomTestStringConvertible {
  /// What must be so after the suggested command has run.
  enum Outcome: Sendable {
    /// It does what it is for.
    case done
    /// It runs, and its answer may be no.
    case answered
    /// It may lack words, but what was complained about is gone.
    case noLonger(String)
  }

  /// A part of the literal in the sources that suggests the command.
  let key: String
  /// A part of the line in which the suggestion is printed.
  let shown: String
  /// Makes the situation, in a folder with a journal `$J` of a device, and `$C`, a copy of it on
  /// another device, each with a space in its name.
  let setup: String
  /// The command that suggests another one.
  let command: String
  /// What stands for the words that a person has to fill in.
  let words: [String: String]
  let outcome: Outcome
  /// What is mounted where it all runs; nil where nothing is.
  let mounts: String?
  /// Succeeds once the suggestion has helped.
  let check: String

  init(
    _ key: String, shown: String? = nil, after setup: String = "", _ command: String,
    filling words: [String: String] = [:], _ outcome: Outcome = .done,
    inside mounts: String? = nil, check: String = "true"
  ) {
    self.key = key
    self.shown = shown ?? key
    self.setup = setup
    self.command = command
    self.words = words
    self.outcome = outcome
    self.mounts = mounts
    self.check = check
  }

  var testDescription: String { key }
}
