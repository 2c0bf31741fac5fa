#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
  /// Opens the journal of a user, with the collections of an app.
  ///
  /// ```swift
  /// let store = try await EventStore.open(url, user: "ada", records: Food.self)
  /// ```
  ///
  /// A journal that is not there yet begins with the first append. Damage costs nothing
  /// else: ``Snapshot/damage`` says what is missing.
  ///
  /// - Parameters:
  ///   - url: the journal's file, by custom `<user>.jsonl`.
  ///   - user: whose journal it is; nil: it must exist.
  ///   - device: what the ID of this copy of the journal begins with, for example `phone`.
  ///   - records: the app's collections; events of others are kept and shipped, and not shown.
  ///   - projections: projections of the app's own, whose states every snapshot has.
  /// - Throws: `noJournal`, `otherUser`, `notAJournal`, `inputOutput`; `invalidSchema` for
  ///   declarations that cannot be.
  public static func open(
    _ url: URL, user: String? = nil, device: String = "device", records: any Record.Type...,
    projections: [any Projection.Type] = []
  ) async throws(EventLogError) -> EventStore {
    guard url.isFileURL else {
      throw EventLogError(
        .inputOutput, "A journal is a file: \"\(url.absoluteString)\" names none.",
        hint: "Give a file URL.")
    }
    return try await open(
      path: url.path, options: JournalOptions(deviceName: device, user: user),
      catalog: try SchemaCatalog().adding(records), projections: projections)
  }
}
