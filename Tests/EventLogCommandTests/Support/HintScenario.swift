import Testing

/// A situation in which the command suggests another command.
struct HintScenario: Sendable, CustomTestStringConvertible {
  /// The required result of the suggested command.
  enum Outcome: Sendable {
    /// The command succeeds.
    case done
    /// The command runs, and may exit with 1.
    case answered
    /// The command may fail, but without this complaint.
    case noLonger(String)
  }

  /// A part of the literal in the sources that suggests the command.
  let key: String
  /// A part of the line in which the suggestion is printed.
  let shown: String
  /// Creates the situation, in a folder with the base journals of `HintTests`.
  let setup: String
  /// The command that suggests another one.
  let command: String
  /// The words that replace the placeholders in the suggested command.
  let words: [String: String]
  let outcome: Outcome
  /// Commands that mount the scenario's file systems, or nil for none.
  let mounts: String?
  /// Succeeds if the suggestion has helped.
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
