import EventLog

/// The journal of a call of `eventlog import`.
struct ImportTarget {
  let path: String
  let options: JournalOptions
  let catalog: SchemaCatalog
  let isDryRun: Bool
  let console: Console

  init(_ arguments: Arguments, _ console: Console) throws {
    path = try Verb.journal(arguments, "import")
    try arguments.checkNewUser(of: path)
    var options = JournalOptions(user: arguments["user"])
    options.fileSystem = console.progress.fileSystem
    self.options = options
    catalog = try arguments.catalog()
    isDryRun = arguments.has("plan")
    self.console = console
  }
}
