/// What is fuzzed. Each target takes any bytes, does with them all that the product does with bytes
/// from outside, and throws what must never be.
enum FuzzTarget: String, CaseIterable, Sendable {
  /// Lines, one by one: the fast path, the general path, and Foundation on what is JSON.
  case lines
  /// A journal: read in every way, opened, and appended to.
  case opening
  /// A journal, a cut, and changes to the checkpoint that was made at the cut.
  case checkpoint
  /// Objects in a shared place, with which a journal is replicated.
  case folder
  /// What a server says to an initiator.
  case initiator
  /// What an initiator says to a server.
  case responder
  /// A schema file, and a journal that is read by it.
  case schema
  /// Events to append, and a journal from elsewhere to take events from.
  case imports = "import"
  /// A property list of another app.
  case propertyLists = "plist"
  /// A map, and the tables of another app that are read by it.
  case tables = "csv"
  /// The list of the users of an app.
  case accounts

  /// Checks what the product makes of some bytes.
  ///
  /// - Throws: a `Finding`; any other error is one as well.
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
    case .accounts: try await AccountsTarget.check(input)
    }
  }
}
