/// The part of a store that runs on its worker: turns requests into one commit.
struct AppendCore {
  let writer: JournalWriter<Fold>
  let random: RandomText
  let readsAroundDamage: Bool

  /// Answers each request; one that is refused leaves the others alone.
  func commit(_ requests: [AppendRequest]) -> [Result<AppendReceipt, EventLogError>] {
    var results: [Result<AppendReceipt, EventLogError>] = []
    do throws(EventLogError) {
      let outcome = try writer.commit { (batch) throws(EventLogError) in
        results = []
        try checkDamage(batch)
        for request in requests { results.append(add(request, to: &batch)) }
      }
      let notices = notices(of: outcome)
      return results.map { result in
        result.map { receipt in
          var receipt = receipt
          if !receipt.appended.isEmpty { receipt.notices = notices }
          return receipt
        }
      }
    } catch {
      return requests.indices.map { index in
        // A request that was refused for its own reason keeps that reason.
        if index < results.count, case .failure(let own) = results[index] { return .failure(own) }
        return .failure(error)
      }
    }
  }

  private func checkDamage(_ batch: JournalBatch<Fold>) throws(EventLogError) {
    guard !readsAroundDamage, let damage = batch.pass.problems.firstDamage else { return }
    throw Journal.damaged(writer.path, damage)
  }

  private func add(
    _ request: AppendRequest, to batch: inout JournalBatch<Fold>
  ) -> Result<AppendReceipt, EventLogError> {
    // A single event is checked before anything is applied; more need a state to return to.
    let saved = request.drafts.count > 1 || batch.device == nil ? batch : nil
    do throws(EventLogError) {
      try batch.checkUser()
      var receipt = AppendReceipt()
      for (index, item) in request.drafts.enumerated() {
        do throws(EventLogError) {
          try add(item, allowing: request.allowsUnknownTypes, to: &batch, &receipt)
        } catch {
          throw error.inItem(index, of: request)
        }
      }
      return .success(receipt)
    } catch {
      if let saved { batch = saved }
      return .failure(error)
    }
  }

  private func add(
    _ item: AppendRequest.Item, allowing allowsUnknownTypes: Bool,
    to batch: inout JournalBatch<Fold>, _ receipt: inout AppendReceipt
  ) throws(EventLogError) {
    if let ref = item.draft.ref,
      batch.pass.sink.refs?.find(StringSpelling.spelled(ref.utf8)) != nil
    {
      receipt.skippedCount += 1
      return
    }
    var draft = item.draft
    let checker = EventChecker(
      fold: batch.pass.sink, ledger: batch.pass.ledger, allowsUnknownTypes: allowsUnknownTypes)
    try checker.checkType(draft)
    draft.entity = try resolve(item, in: batch.pass.sink)
    try checker.check(draft)
    let id = try batch.add(draft)
    receipt.appended.append(.init(id: id, entity: draft.entity))
  }

  // MARK: - Naming entities

  private func resolve(
    _ item: AppendRequest.Item, in fold: Fold
  ) throws(EventLogError) -> EntityID? {
    guard let reference = item.entity else { return nil }
    if case .exact(let entity) = reference { return entity }
    guard let (collection, _) = fold.catalog.type(item.draft.type), !collection.isSingleton else {
      if case .matching(let text) = reference, let entity = EntityID(text) { return entity }
      if let singleton = fold.catalog.type(item.draft.type)?.collection {
        throw EventLogError(
          .invalidEvent,
          "\(item.draft.type) takes no entity: there is only one \(singleton.kind). Nothing was"
            + " written.",
          hint: "A field is given as FIELD=VALUE.")
      }
      throw EventLogError(
        .invalidInput,
        "An entity is <kind>/<key>: a kind of a-z 0-9 -, a key of A-Z a-z 0-9 . _ ~ -. Nothing was"
          + " written.")
    }
    let kind = collection.kind
    switch reference {
    case .exact(let entity): return entity
    case .minted:
      while true {
        let key = random.next(8)
        if fold.entityNames.find("\(kind)/\(key)") == nil { return EntityID(kind: kind, key: key) }
      }
    case .matching(let text):
      let key = text.hasPrefix(kind + "/") ? String(text.dropFirst(kind.utf8.count + 1)) : text
      let restores = fold.catalog.type(item.draft.type)?.event.lifecycle == .restores
      return try match(key, kind: kind, in: fold, includingDeleted: restores)
    }
  }

  private func match(
    _ text: String, kind: String, in fold: Fold, includingDeleted: Bool
  ) throws(EventLogError) -> EntityID {
    guard !text.isEmpty else {
      throw EventLogError(
        .noEntity, "An empty word names no \(kind). Nothing was written.",
        hint: "Give its key, the beginning of its key, or its name.")
    }
    if let exact = EntityID(kind: kind, key: text),
      let index = fold.entityNames.find(exact.description), fold.entities[index].row >= 0
    {
      return exact
    }
    let entities = fold.entities.indices
      .filter { fold.entities[$0].row >= 0 }
      .compactMap { index in EntityID(fold.entityNames.text(index)).map { (index, $0) } }
      .filter { $0.1.kind == kind }
    let fitting = entities.filter {
      $0.1.key.hasPrefix(text) || fold.nameIs(text, ofEntity: $0.0)
    }
    // A deleted one is meant only if nothing else can be.
    let visible = fitting.filter { !fold.presences.isHidden(Int32($0.0)) }
    let found = includingDeleted || visible.isEmpty ? fitting.map(\.1) : visible.map(\.1)
    if found.count == 1 { return found.first! }
    if found.count > 1 {
      let keys = found.map(\.key).sorted().prefix(5).joined(separator: ", ")
      throw EventLogError(
        .noEntity,
        "\"\(text)\" could be any of \(found.count) of kind \(kind): \(keys). Nothing was written.",
        hint: "Give the whole key.")
    }
    if let exact = EntityID(text), exact.kind != kind { return exact }
    guard let exact = EntityID(kind: kind, key: text) else {
      throw EventLogError(
        .noEntity,
        "No \(kind) has that key or name, and it is no key itself: a key is 1 to 128 of"
          + " A-Z a-z 0-9 . _ ~ -. Nothing was written.")
    }
    return exact
  }

  private func notices(of outcome: JournalWriter<Fold>.Outcome) -> [String] {
    var notices: [String] = []
    var reason = outcome.freshDevice
    if let file = outcome.quarantined {
      notices.append(
        "The last \(outcome.quarantinedBytes) bytes of the journal were no sound events: an"
          + " append that was cut off, or damage. They were put aside in \"\(file)\".")
      // What else does not fit stood in those bytes.
      reason = .doubtfulTail
    }
    if let sentence = reason?.sentence {
      notices.append(sentence + " A fresh device ID was taken, so that no ID is used twice.")
    }
    return notices
  }
}

extension EventLogError {
  /// The same error, said of one event among several.
  func inItem(_ index: Int, of request: AppendRequest) -> EventLogError {
    if request.drafts.count == 1, request.lines.isEmpty { return self }
    let line = index < request.lines.count ? request.lines[index] : nil
    let label = line.map { "Line \($0) of the input" } ?? "Event \(index + 1)"
    return EventLogError(
      code, "\(label): \(message)", hint: hint,
      at: Location(file: location.file, line: line, byte: location.byte), cause: cause)
  }
}

extension Fold {
  /// Whether the entity's `name` shows exactly `text`.
  func nameIs(_ text: String, ofEntity index: Int) -> Bool {
    guard let field = fieldNames.find("name") else { return false }
    let cell = findRegister(entities[index].row, Int32(field))
    guard cell >= 0 else { return false }
    return registers.liveValues(Int(cell)).contains {
      JSONValue(canonical: registers.bytes($0)) == .string(text)
    }
  }
}
