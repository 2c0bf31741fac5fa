public import EventLog
public import EventLogRemotes

/// The settings of an app's accounts.
public struct AccountOptions: Sendable {
  /// The options of each journal, such as the device's name.
  ///
  /// The user is ignored.
  public var journal: JournalOptions
  /// Additional collections, which no record type declares.
  public var catalog: SchemaCatalog
  /// The app's own projections, which every snapshot contains.
  public var projections: [any Projection.Type]
  /// The delays between syncs with places.
  public var schedule: ReplicationSchedule
  /// Waits, or throws as soon as the task is canceled.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// The maximum time for ``Leaving/remove`` to count the events that would be lost.
  package var removalTimeout: Duration = .seconds(30)

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - journal: The options of each journal. The user is ignored.
  ///   - catalog: Additional collections.
  ///   - projections: The app's own projections.
  ///   - schedule: The delays between syncs with places.
  public init(
    journal: JournalOptions = JournalOptions(), catalog: SchemaCatalog = SchemaCatalog(),
    projections: [any Projection.Type] = [], schedule: ReplicationSchedule = ReplicationSchedule()
  ) {
    (self.journal, self.catalog) = (journal, catalog)
    (self.projections, self.schedule) = (projections, schedule)
  }
}
