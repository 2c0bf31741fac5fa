#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
  /// Opens a user's journal with your app's collections.
  ///
  /// ```swift
  /// let store = try await EventStore.open(url, user: "ada", records: Food.self)
  /// ```
  ///
  /// If the file doesn't exist, the first append creates it; its folder has to exist. A damaged
  /// journal can be opened: the state contains every event that can be read, and
  /// ``Snapshot/damage`` lists what is missing.
  ///
  /// - Parameters:
  ///   - url: The file URL of the journal, by convention `<user>.jsonl`.
  ///   - user: The user that the journal belongs to. If `nil`, the journal must exist.
  ///   - device: The prefix of this device's ID, such as `phone`. If `nil`, the name that this
  ///     copy of the journal wrote under before, or else the name of the host.
  ///   - records: Your app's record types. Events of other collections are kept and replicated, but
  ///     not shown.
  ///   - revision: The number of these declarations, from 1 to 999,999,999. Increase it in each
  ///     version of your app that changes one. The store saves the declarations beside the journal
  ///     and at its remotes under this number, so that the `eventlog` command can read them. Pass
  ///     `nil` to save nothing, for example in a widget that declares only some of the records.
  ///   - projections: Your app's own projections. Every snapshot contains their states.
  /// - Returns: The open store.
  /// - Throws: `noJournal` if the file doesn't exist and `user` is `nil`, or if there is no folder
  ///   for it; `invalidInput` if no journal can belong to the user of a new one; `otherUser` if the
  ///   journal belongs to another user; `notAJournal` if the file contains something else;
  ///   `inputOutput`; `invalidSchema` if the declarations are invalid or contradict each other.
  public static func open(
    _ url: URL, user: String? = nil, device: String? = nil, records: any Record.Type...,
    revision: Int? = 1, projections: [any Projection.Type] = []
  ) async throws(EventLogError) -> EventStore {
    guard url.isFileURL else {
      throw EventLogError(
        .inputOutput, "A journal is a file, and \"\(url.absoluteString)\" is not a file URL.",
        hint: "Use a file URL.")
    }
    var catalog = try SchemaCatalog().adding(records)
    catalog.revision = revision
    return try await open(
      path: url.path, options: JournalOptions(deviceName: device, user: user), catalog: catalog,
      projections: projections)
  }
}
