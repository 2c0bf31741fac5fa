/// Events to be checked against schema and state, and appended together.
struct Append: Sendable {
  struct Item: Sendable {
    var draft: EventDraft
    /// Its entity, or nil for that of the draft.
    var entity: EntityReference?
  }

  var items: [Item]
  /// The line of each event in the input that it was read from, for errors.
  var lines: [Int] = []
  var allowsUnknownTypes = false
  /// Whether the events must be one batch, which is complete or absent after a crash.
  var isOneBatch = false
  /// Whether dated fields apply from today on if an edit states no day, instead of from the
  /// beginning.
  var fillsFrom = true
  /// The vocabulary of hints.
  var words = Words.types
  /// The state that the user had seen, or nil to skip this check.
  var seen: ReadVersion.Clock?
  let random: RandomText

  /// The vocabulary that a caller uses for events.
  enum Words: Sendable {
    /// Their types.
    case types
    /// The methods that write records.
    case methods
  }

  /// Adds all events to the batch, or throws the first error.
  func run(
    _ batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt
  ) throws(EventLogError) {
    var view = seen.map { ReadVersion($0, batch) }
    let next = nextWritten(in: batch.pass.sink.fold)
    let now = batch.options.now
    let progress = batch.options.fileSystem as? CountingFileSystem
    let byteBounds = next.map { _ in items.map(\.draft.data.byteBound) } ?? []
    // The number of events in the current batch.
    var count = 0
    for index in items.indices {
      let hasMore =
        next?[index].map { next in
          let byteCount = count == 0 ? 0 : batch.bytes.count - batch.batchStart
          return count + 2 <= OpenBatch.countMax
            && fit(
              index, next, byteBounds, in: OpenBatch.bytesMax - byteCount, isFirst: count == 0)
        } ?? false
      if isOneBatch, !hasMore, next?[index] != nil { throw .batchTooLarge(items.count) }
      do throws(EventLogError) {
        try add(index, to: &batch, &receipt, &view, at: now, hasMore: hasMore)
      } catch {
        throw error.inItem(index, of: self)
      }
      progress?.noteLines(1)
      if hasMore {
        count += 1
      } else if next?[index] != nil {
        count = 0
      }
    }
  }

  private func add(
    _ index: Int, to batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt,
    _ view: inout ReadVersion?, at now: Timestamp, hasMore: Bool
  ) throws(EventLogError) {
    let checked = try batch.reading { (pass) throws(EventLogError) in
      try check(items[index], at: now, &pass.sink.fold, pass.ledger)
    }
    guard let draft = checked else {
      receipt.skippedCount += 1
      return
    }
    try view?.check(draft, in: batch)
    let id = try batch.add(draft, hasMore: hasMore)
    receipt.appended.append(.init(id: id, entity: draft.entity))
    receipt.drafts.append(draft)
  }

  /// Checks an event against schema and state.
  ///
  /// - Parameter fold: Not changed, but copied if it weren't `inout`.
  /// - Returns: The event with its entity and day, or nil if its `ref` is held already.
  private func check(
    _ item: Item, at now: Timestamp, _ fold: inout Fold, _ ledger: Ledger
  ) throws(EventLogError) -> EventDraft? {
    if let ref = item.draft.ref, isHeld(ref, in: fold) { return nil }
    var draft = item.draft
    let rules = try fold.checkType(of: draft, allowingUnknown: allowsUnknownTypes)
    if let reference = item.entity {
      draft.entity = try resolve(reference, for: draft.type, in: fold)
    }
    if fillsFrom, let rules { rules.fillFrom(in: &draft, at: draft.at ?? now) }
    try fold.check(draft, rules, ledger, words)
    return draft
  }

  private func isHeld(_ ref: String, in fold: Fold) -> Bool {
    fold.refs?.find(StringSpelling.spelled(ref.utf8)) != nil
  }

  /// For each event that isn't skipped, the index of the next one, or nil for the last.
  ///
  /// The result is nil if there is only one event.
  private func nextWritten(in fold: Fold) -> [Int?]? {
    if items.count == 1 { return nil }
    var refs: Set<[UInt8]> = []
    var next = [Int?](repeating: nil, count: items.count)
    var last: Int?
    for index in items.indices {
      if let ref = items[index].draft.ref,
        !refs.insert(Array(ref.utf8)).inserted || isHeld(ref, in: fold)
      {
        continue
      }
      if let last { next[last] = index }
      last = index
    }
    return next
  }

  /// The maximum bytes of a line without `data` and `seen`, with the day that ``fillsFrom`` adds to
  /// `data`. A third is for names, and two thirds are for a `ref` of 128 control characters.
  static let envelopeBytesMax = 1300

  /// Whether the lines of two events certainly fit in `byteCount` bytes. Only the first line of a
  /// batch has `seen`.
  private func fit(
    _ index: Int, _ next: Int, _ byteBounds: [Int], in byteCount: Int, isFirst: Bool
  ) -> Bool {
    let seenBytes = isFirst ? JournalBatch<StoreSink>.seenBytesMax : 0
    let available = byteCount - 2 * Self.envelopeBytesMax - seenBytes
    // The bound is enough for nearly all, and avoids spelling the data only to measure it.
    return byteBounds[index] + byteBounds[next] <= available
      || items[index].draft.data.byteCount + items[next].draft.data.byteCount <= available
  }

  // MARK: - Naming entities

  private func resolve(
    _ reference: EntityReference, for type: String, in fold: Fold
  ) throws(EventLogError) -> EntityID {
    let declared = fold.catalog.type(type)
    let singleton = declared.flatMap { $0.collection.isSingleton ? $0.collection : nil }
    switch (reference, singleton == nil ? declared?.collection.kind : nil) {
    case (.exact(let entity), _): return entity
    case (.minted, let kind?):
      while true {
        let entity = EntityID(trustedKind: kind, key: random.next(8))
        if fold.entityNames.find(entity.description) == nil { return entity }
      }
    case (.matching(let text), let kind?):
      let restores = declared?.event.lifecycle == .restores
      return try fold.entity(named: text, kind: kind, includingDeleted: restores)
    case (.matching(let text), nil):
      if let entity = EntityID(text) { return entity }
    case (.minted, nil): break
    }
    if let singleton {
      throw EventLogError(
        .invalidEvent,
        "\(type) takes no entity, because there is only one \(singleton.kind). Nothing was"
          + " written.", hint: "Leave the entity out.")
    }
    throw EventLogError(
      .invalidInput,
      "An entity is <kind>/<key>: a kind has a-z 0-9 -, a key has A-Z a-z 0-9 . _ ~ -. Nothing"
        + " was written.", hint: "Use an ID such as meal/oats.")
  }
}

extension Append {
  /// Creates an append of events with exact entities.
  init(
    _ drafts: [EventDraft], fillsFrom: Bool = true, words: Words = .types, random: RandomText
  ) {
    self.init(
      items: drafts.map { Item(draft: $0) }, fillsFrom: fillsFrom, words: words, random: random)
  }

  /// Creates an append of events that a method has created from records.
  init(ofRecords drafts: [EventDraft], seen: ReadVersion.Clock? = nil, random: RandomText) {
    self.init(drafts, words: .methods, random: random)
    self.seen = seen
  }
}

extension EventTypeRules {
  /// Adds the day of a time to an event that writes a dated field and states no day.
  fileprivate func fillFrom(in draft: inout EventDraft, at time: Timestamp) {
    let name = CollectionSchema.fromMember
    if takesFrom, draft.data[name] == nil, writesDatedField(draft.data) {
      draft.data[name] = .string(Day(time).description)
    }
  }
}

extension EventLogError {
  /// The error for events that must be one batch, but are too many or too long.
  fileprivate static func batchTooLarge(_ count: Int) -> EventLogError {
    EventLogError(
      .eventTooLarge,
      "These \(count) events do not fit in one batch, which has at most \(OpenBatch.countMax)"
        + " events and 1 MiB. Nothing was written.",
      hint: "Split them into several batches, if they may appear one after the other.")
  }

  /// The same error with a label for one of several events.
  func inItem(_ index: Int, of request: Append) -> EventLogError {
    if request.items.count == 1, request.lines.isEmpty { return self }
    let line = index < request.lines.count ? request.lines[index] : nil
    let label = line.map { "Line \($0) of the input" } ?? "Event \(index + 1)"
    return EventLogError(
      code, "\(label): \(message)", hint: hint,
      at: Location(file: location.file, line: line, byte: location.byte), cause: cause,
      unseen: unseen)
  }
}

extension JSONObject {
  /// The length of the canonical spelling.
  fileprivate var byteCount: Int {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes.count
  }

  /// An upper bound of ``byteCount``: every byte of a string counts as the longest escape.
  var byteBound: Int {
    members.reduce(2) { $0 + 6 * $1.name.utf8.count + 4 + $1.value.byteBound }
  }
}

extension JSONValue {
  fileprivate var byteBound: Int {
    switch self {
    case .null, .bool: 5
    case .number(let value): value.text.utf8.count
    case .string(let value): 6 * value.utf8.count + 2
    case .array(let values): values.reduce(2) { $0 + $1.byteBound + 1 }
    case .object(let object): object.byteBound
    }
  }
}
