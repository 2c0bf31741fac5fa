/// A fuzz target.
///
/// It takes any bytes, processes them like the product processes bytes from outside, and throws if
/// an invariant is violated.
enum FuzzTarget: String, CaseIterable, Sendable {
  /// Lines one by one: the fast path, the general path, and Foundation's JSON.
  case lines
  /// A journal that is read in every way, opened, and appended to.
  case opening
  /// A journal, the line at which a checkpoint is made, and changes to the checkpoint.
  case checkpoint
  /// Objects in a shared remote, with which a journal syncs.
  case folder
  /// The messages of a server to an initiator.
  case initiator
  /// The messages of an initiator to a server.
  case responder
  /// A schema file, and a journal that is read with it.
  case schema
  /// Events to append, and another journal to pull from.
  case imports = "import"
  /// A property list of another app.
  case propertyLists = "plist"
  /// A map, and another app's tables that are imported with it.
  case tables = "csv"
  /// A SQLite file of another app.
  case databases = "sqlite"
  /// The list of an app's accounts.
  case accounts
  /// An image or a video, whose position is removed.
  case images
  /// Recordings of crashes, in all forms that are taken in.
  case crashes

  /// Checks the results for an input.
  ///
  /// - Throws: A `Finding`. Any other error is a finding, too.
  func check(_ input: [UInt8]) async throws {
    switch self {
    case .lines: try LinesTarget.check(input)
    case .opening: try await OpeningTarget.check(input)
    case .checkpoint: try await CheckpointTarget.check(input)
    case .folder: try await FolderTarget.check(input)
    case .initiator: try await PipeTarget.checkInitiator(input)
    case .responder: try await PipeTarget.checkResponder(input)
    case .schema: try await SchemaTarget.check(input)
    case .imports: try await ImportTarget.check(input)
    case .propertyLists: try await PropertyListTarget.check(input)
    case .tables: try await TableTarget.check(input)
    case .databases: try await DatabaseTarget.check(input)
    case .accounts: try await AccountsTarget.check(input)
    case .images: try ImagesTarget.check(input)
    case .crashes: try CrashReportsTarget.check(input)
    }
  }
}
