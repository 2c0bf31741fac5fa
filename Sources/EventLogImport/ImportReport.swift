public import EventLog

/// The result of an import.
public struct ImportReport: Sendable {
  /// A Boolean value that indicates whether nothing was changed.
  public let isDryRun: Bool
  /// The user whose data were imported.
  public let user: String
  /// The stores of the source that have values, and their devices.
  public internal(set) var sources: [Source] = []
  /// The number of values that were read for this user.
  public private(set) var valueCount = 0
  /// The keys whose values are in the journal now.
  ///
  /// Your app may delete them from their store; after a dry run, not yet. The import itself deletes
  /// nothing. Rows of tables have no keys.
  public private(set) var removableKeys: [String] = []
  /// The number of values that belong to other users, by user; `nil` is a guest.
  public private(set) var otherUsers: [(user: String?, valueCount: Int)] = []
  /// The place of the map that has a guest's keys.
  package internal(set) var guestPlace: String?
  /// The keys, columns, and files that the map doesn't mention.
  public private(set) var unknown: [String] = []
  /// Sentences about values that were skipped, rounded, or stated twice.
  public private(set) var remarks: [String] = []
  /// Sentences about conventions that the import found in the source, such as the order of dates.
  public private(set) var findings: [String] = []
  /// The entities that the import has changed and that are deleted. They stay deleted.
  public private(set) var deleted: [DeletedEntity] = []
  /// The names of the sources that have written candidates of the new conflicts, by their devices.
  package private(set) var sourceNames: [DeviceID: String] = [:]
  /// The result of merging: the events that are new, and the conflicts that arose.
  public internal(set) var sync = SyncReport()

  /// A store of a source.
  public struct Source: Sendable, Hashable {
    /// The name of the store.
    public let name: String
    /// The device under which its values are written.
    public let device: DeviceID
    /// The number of events that the import adds for it.
    public let eventCount: Int
  }

  /// A deleted entity that an import has changed.
  public struct DeletedEntity: Sendable, Hashable {
    /// The entity.
    public let id: EntityID
    /// The number of events that the import adds about it.
    public let eventCount: Int
  }

  init(isDryRun: Bool, user: String) {
    self.isDryRun = isDryRun
    self.user = user
  }

  mutating func take(_ content: SourceContent) {
    valueCount = content.valueCount
    removableKeys = content.keys.sorted { $0.precedes($1) }
    otherUsers = content.others.map { ($0.user, $0.count) }
    unknown = content.unknown
    remarks = content.remarks
    findings = content.findings
  }

  /// Records the deleted entities that some events are about, with the numbers of those events.
  ///
  /// - Parameter restored: The entities that the import restores.
  mutating func note(_ counts: [EntityID: Int], restoring restored: [EntityID]) {
    for (entity, count) in counts.sorted(by: { $0.key.description.precedes($1.key.description) })
    where !restored.contains(entity) {
      deleted.append(DeletedEntity(id: entity, eventCount: count))
    }
  }

  /// Records the names of the earlier sources in the new conflicts.
  mutating func noteSources(in state: Snapshot) {
    for source in sources { sourceNames[source.device] = source.name }
    for candidate in sync.newConflicts.flatMap(\.candidates) {
      let device = candidate.event.device
      guard sourceNames[device] == nil, let point = state.ledger.locate(candidate.fullID),
        state.ledger.isSource(point.branch)
      else { continue }
      sourceNames[device] = state.device(device)?.name ?? device.text
    }
  }

  /// The number of events that the import adds.
  public var eventCount: Int { sources.reduce(0) { $0 + $1.eventCount } }
}
