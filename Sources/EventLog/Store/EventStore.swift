import Synchronization

/// A journal that takes appends: what an app opens once per file.
///
/// Every append is checked against the schema and the state, written under the journal's lock, and
/// synced before the call returns; appends that wait at the same time share one sync. Other
/// processes may append to the same journal meanwhile.
public final class EventStore: Sendable {
  /// The journal's file.
  public let path: String
  private let queue: CommitQueue<AppendRequest, AppendReceipt>

  /// Prepares a store; the journal is read with the first append.
  ///
  /// - Parameters:
  ///   - options: the user of a new journal, the device's name, and what is injected in tests.
  ///   - catalog: the collections whose rules appends keep.
  ///   - readsAroundDamage: whether appends go on where the journal has damage or holes; then under
  ///     a fresh device ID whose clock is the frontier.
  public init(
    path: String, options: JournalOptions = JournalOptions(),
    catalog: SchemaCatalog = .standard, readsAroundDamage: Bool = true
  ) {
    self.path = path
    let core = Mutex(
      AppendCore(
        writer: JournalWriter(path: path, options: options) {
          var fold = Fold(catalog)
          fold.refs = ByteInterner()
          return fold
        }, random: options.random, readsAroundDamage: readsAroundDamage))
    let box = CoreBox(core)
    queue = CommitQueue { requests in box.core.withLock { $0.commit(requests) } }
  }

  /// Appends events, all or none.
  ///
  /// - Returns: after they are durable: their IDs and entities, and what else the append did.
  /// - Throws: the first rule that one of them breaks, with nothing written; `locked`;
  ///   `inputOutput`, with the journal as it was; `syncFailed`, after which the store refuses
  ///   appends, because it is unknown whether the last ones survive a power loss.
  public func append(
    _ drafts: [EventDraft], allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await append(
      drafts.map { ($0, $0.entity.map(EntityReference.exact)) },
      allowingUnknownTypes: allowingUnknownTypes)
  }

  /// Appends events whose entities are named by reference, all or none.
  ///
  /// - Parameter lines: where each event stands in the input that it was read from, for errors; an
  ///   event without one is `Event 3`, the third of `drafts`.
  public func append(
    _ drafts: [(draft: EventDraft, entity: EntityReference?)], lines: [Int] = [],
    allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await queue.submit(
      AppendRequest(
        drafts: drafts.map { AppendRequest.Item(draft: $0.draft, entity: $0.entity) },
        lines: lines, allowsUnknownTypes: allowingUnknownTypes))
  }
}

/// Holds the lock where two closures can reach it.
private final class CoreBox: Sendable {
  let core: Mutex<AppendCore>
  init(_ core: consuming sending Mutex<AppendCore>) { self.core = core }
}

/// What an append did.
public struct AppendReceipt: Sendable {
  /// The events written, in the order given, without those that were skipped.
  public internal(set) var appended: [Appended] = []
  /// Events whose `ref` the journal held already.
  public internal(set) var skippedCount = 0
  /// Sentences for the person whose journal it is: a doubtful end that was put aside, a fresh
  /// device ID and why.
  public internal(set) var notices: [String] = []

  /// One event written.
  public struct Appended: Sendable, Hashable {
    public let id: EventID
    public let entity: EntityID?
  }
}

struct AppendRequest: Sendable {
  struct Item: Sendable {
    var draft: EventDraft
    var entity: EntityReference?
  }

  var drafts: [Item]
  var lines: [Int]
  var allowsUnknownTypes: Bool
}
