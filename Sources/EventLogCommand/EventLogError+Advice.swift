import EventLog

/// Hints for the command line, because the library's errors don't mention options.
extension EventLogError {
  /// Returns the error with a hint for the command line.
  func advised(_ verb: String, _ arguments: Arguments) -> EventLogError {
    guard let advice = advice(verb, arguments) else { return self }
    return advising(advice)
  }

  /// Returns the hint that replaces the error's own, or nil to keep that one.
  private func advice(_ verb: String, _ arguments: Arguments) -> String? {
    let journal = arguments.operands.first.map(ShellWord.path) ?? "JOURNAL"
    switch code {
    case .noJournal where hint == Self.noFolderHint: return nil
    case .noJournal where verb == "import" && isAboutWord(of: arguments) && !arguments.has("user"):
      return "Check the path, or name the user of a new journal: --user NAME."
    case .noJournal where isAboutWord(of: arguments) && !arguments.has("user"):
      return "Check the path, or create a journal: append with --user NAME."
    case .invalidInput where verb == "import" && message.contains("depends on the zone"):
      return "Name the zone in which it was entered, for example --zone Europe/Berlin."
    case .invalidInput where verb == "import" && message.contains("depends on the order"):
      return "Say which order the file has: --dates D/M, --dates M/D or --dates Y/M."
    case .invalidInput where verb == "import" && message.contains("depends on the decimal mark"):
      return "Say how the file writes numbers: --locale en for 1,234.5, or --locale de for 1.234,5."
    case .userNeeded: return "Specify the user: --user NAME."
    case .changedMeanwhile where verb == "append": return unseenAdvice
    case .inputOutput where verb == "sync" && isClosedToWriters:
      return pullAdvice(arguments, journal) ?? furtherAdvice(verb, arguments, journal)
    case .tooManyDevices where arguments.has("accept-devices"):
      return "The other side refused them: sync from there, with --accept-devices."
    case .tooManyDevices where verb == "sync":
      return "If you expect these devices, sync with --accept-devices."
    case .tooManyDevices where verb == "repair":
      return "If you expect these devices, repair with --accept-devices."
    case .tooManyDevices where verb == "publish":
      return "If you expect these devices, publish with --accept-devices."
    case .tooManyDevices where verb == "why":
      return "To read its events one by one: eventlog replay"
        + " \(journal)\(ShellWord.contextOptions(arguments))"
    case .signInNeeded where isUnspecific && message.contains("\"dav"):
      return "Write who you are there to ~/.netrc: machine HOST login NAME password WORD"
    case .signInNeeded where isUnspecific && message.contains("\"s3:"):
      return "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials."
    case .signInNeeded where isUnspecific && message.contains("\"firestore:"):
      return "Sign in: eventlog login \(quotedAddress("firestore")) --email ADDRESS"
    case .signInNeeded where isUnspecific && message.contains("\"cloudkit:"):
      return
        "Sign in on Apple's page, and keep the web token: eventlog login"
        + " \(quotedAddress("cloudkit"))"
    case .remoteCommandMissing:
      return "Install eventlog there, or set EVENTLOG_REMOTE_COMMAND to its path."
    default:
      // Hints for app developers don't help on the command line.
      let isForApps = hint.map(AppHint.all.contains) ?? true
      return isForApps ? furtherAdvice(verb, arguments, journal) : nil
    }
  }

  /// Returns the values that the schema doesn't allow, and how to replace them.
  private var unseenAdvice: String {
    let values = unseen.map { write in
      let value = write.value.map(EntityTable.text) ?? "a total that it can't read"
      return "\(write.field) of \(write.entity) is \(value)"
    }
    return "\(values.joined(separator: ", ")). Use a later version's schema (--schema FILE), or"
      + " replace it: --over \(unseen.map(\.event.description).joined(separator: ","))"
  }

  /// Returns the address with the given scheme from the message, quoted for the shell.
  private func quotedAddress(_ scheme: String) -> String {
    let start = message.firstRange(of: "\"\(scheme):")?.lowerBound ?? message.startIndex
    return ShellWord.quoted(
      String(message[start...].dropFirst().prefix { $0 != "\"" && $0 != "?" }))
  }

  /// Whether the hint doesn't mention the source of the credentials.
  private var isUnspecific: Bool {
    guard let hint else { return true }
    return hint.hasPrefix("Sign in again:") || hint == "Sign in to iCloud."
  }

  /// Returns the hint for an error that has none for the command line.
  private func furtherAdvice(
    _ verb: String, _ arguments: Arguments, _ journal: String
  ) -> String? {
    switch code {
    case .inputOutput where isAboutPermission:
      "Check who may use that file and its folder: their owner can change that with chmod."
    case .unknownType:
      arguments.hasSavedSchema
        ? "eventlog types \(journal) lists the types of its app; --force writes an unknown one."
        : "eventlog types lists the types; --schema FILE declares more, and --force writes an"
          + " unknown one."
    case .invalidEvent where verb == "append" && Self.isNoType(arguments):
      arguments.hasSavedSchema
        ? "eventlog types \(journal) lists the types of its app."
        : "eventlog types lists the types."
    case .noEntity where hint == AppHint.undeclaredKind,
      .noField where hint == AppHint.undeclaredKind:
      "Pass --schema FILE, which declares it."
    case .noEntity, .noField:
      "eventlog project \(journal)\(ShellWord.contextOptions(arguments)) shows what exists."
    case .noJournal where hint == AppHint.noJournal: "Check the path."
    case .noConflict:
      "eventlog conflicts \(journal)\(ShellWord.contextOptions(arguments)) lists the open"
        + " conflicts."
    default: nil
    }
  }

  /// Whether the operand for the event type isn't a declared type.
  private static func isNoType(_ arguments: Arguments) -> Bool {
    guard let type = arguments.operands.dropFirst().first, type != "-" else { return false }
    return (try? arguments.catalog())?.type(type) == nil
  }

  private func isAboutWord(of arguments: Arguments) -> Bool {
    location.file.map { file in arguments.operands.contains { $0 == file } } ?? false
  }

  private var isClosedToWriters: Bool {
    cause == .readOnlyFileSystem || isAboutPermission && !message.hasPrefix("Could not read")
  }

  private var isAboutPermission: Bool { cause == .permissionDenied || cause == .notPermitted }

  /// Suggests a pull if the sync's target can't be written; nil if the target doesn't exist.
  private func pullAdvice(_ arguments: Arguments, _ journal: String) -> String? {
    guard let path = arguments.operands.first, let file = location.file else { return nil }
    if file == path {
      return Terminal.isMissing(path)
        ? nil : "You can still pull from it: eventlog sync OTHER \(journal) --pull"
    }
    let operands = arguments.operands.dropFirst()
    let remote = operands.first { operand in
      (try? SyncTarget.address(operand, "sync"))?.holds(file) ?? false
    }
    if let remote, Terminal.isMissing(remote) { return nil }
    // The journal's own side folder isn't a remote.
    let side = SideFolder(beside: path, fileSystem: SystemFileSystem()).path
    if file == side || file.hasPrefix(side + "/") { return nil }
    return "You can still pull from it: eventlog sync \(journal)"
      + " \(remote.map(ShellWord.path) ?? "REMOTE") --pull"
  }
}
