import EventLog

/// The parsed arguments after the verb.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]
  let schemaNotes = SchemaNotes()

  /// - Throws: `usage` for an unknown option, a missing or unexpected value, or a repeated option.
  init(_ arguments: ArraySlice<String>, for verb: Verb) throws(EventLogError) {
    var rest = arguments
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("--") else {
        if word.hasPrefix("-"), word != "-" { throw Self.unknown(word, verb) }
        operands.append(word)
        continue
      }
      let parts = word.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts.first ?? "")
      guard let option = (verb.options + [.quiet]).first(where: { $0.name == name }) else {
        throw Self.unknown("--" + name, verb)
      }
      guard values[name] == nil else {
        throw EventLogError.usage("--\(name) is given twice.", verb.name)
      }
      if option.value == nil {
        guard parts.count == 1 else {
          throw EventLogError.usage("--\(name) takes no value.", verb.name)
        }
        values[name] = ""
      } else if parts.count == 2 {
        values[name] = String(parts[1])
      } else {
        values[name] = try Self.value(of: option, from: &rest, verb)
      }
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  subscript(name: String) -> String? { values[name] }

  private static func value(
    of option: OptionSpec, from rest: inout ArraySlice<String>, _ verb: Verb
  ) throws(EventLogError) -> String {
    let name = "--\(option.name)"
    guard let value = rest.popFirst() else {
      throw EventLogError.usage("\(name) needs a value: \(name) \(option.value!).", verb.name)
    }
    // An option here probably means that the value was forgotten. Other values may also begin with
    // `--`, for example device IDs.
    guard !verb.isOption(value) else {
      throw EventLogError.usage(
        "\(name) needs a value: \(name) \(option.value!).", verb.name,
        hint: "If the value looks like an option, write \(name)=VALUE.")
    }
    return value
  }

  private static func unknown(_ word: String, _ verb: Verb) -> EventLogError {
    let names = verb.options.map { "--" + $0.name }
    let near = Suggestion.nearest(to: word, among: names)
    return .usage(
      "eventlog \(verb.name) has no option \(word).", verb.name,
      hint: near.map { "Did you mean \($0)?" }
        ?? (word.hasPrefix("--") ? nil : "If it is a name that begins with -, put -- before it."))
  }
}

extension Arguments {
  /// Refuses to create a journal for a user name with invisible characters: the name looks like
  /// another user's, but the journals would never sync.
  ///
  /// Existing journals keep such names.
  func checkNewUser(of path: String) throws(EventLogError) {
    guard let user = self["user"], !has("force"), !Visible.isWhole(user), Terminal.isMissing(path),
      // The library reports invalid names.
      JournalUsers.isValid(user: user)
    else { return }
    throw EventLogError(
      invalidInput:
        "The user's name \"\(Visible.text(user))\" contains invisible characters. Nothing was"
        + " written.",
      hint: "Type the name again. If it really is this one, append with --force creates the"
        + " journal.")
  }

  /// The number of device IDs in the journal from which new ones are refused.
  var devicesMax: Int { has("accept-devices") ? .max : JournalOptions().devicesMax }

  /// The options that a printed command must repeat: `--schema` and `--user`.
  var context: [String] {
    ["schema", "user"].flatMap { name in self[name].map { ["--\(name)", $0] } ?? [] }
  }
}

extension EventLogError {
  static func usage(_ message: String, _ verb: String, hint: String? = nil) -> EventLogError {
    EventLogError(
      usage: message, hint: hint ?? "eventlog help \(verb) shows its usage.")
  }
}

extension Verb {
  /// Whether a word is one of the verb's options or `--help`.
  fileprivate func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("--") else { return false }
    let name = word.dropFirst(2).prefix { $0 != "=" }
    return name == "help" || (options + [.quiet]).contains { $0.name == name }
  }
}
