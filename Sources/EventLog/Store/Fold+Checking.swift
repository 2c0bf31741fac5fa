/// Decides whether an event may be appended, by the schema and by the state before it.
///
/// The fold applies every event that passes, because both use the same rules. This check also
/// explains a refusal, and checks which entities exist.
extension Fold {
  /// Checks an event whose type ``checkType(of:allowingUnknown:)`` has passed.
  ///
  /// - Parameters:
  ///   - rules: The rules that it has returned.
  ///   - words: The vocabulary of hints.
  /// - Throws: The first rule that `draft` breaks, with the name of the field.
  func check(
    _ draft: EventDraft, _ rules: EventTypeRules?, _ ledger: Ledger, _ words: Append.Words = .types
  ) throws(EventLogError) {
    if let ref = draft.ref, !EventDraft.isValid(ref: ref) {
      throw .refused(
        draft, "its ref must have 1 to 128 characters",
        hint: "Use 1 to 128 characters, such as a UUID.")
    }
    // A method reference would copy the fold.
    let entity = draft.entity.flatMap { index(of: $0) }
    guard let rules else { return try checkNotHidden(draft.entity, entity, words) }
    try checkEntityForm(draft, rules)
    try DataChecker.check(draft, rules)
    try checkExistence(draft, rules.event.lifecycle, entity, words)
    if rules.collection.isSingleton { try checkSetKeys(draft, rules, ledger) }
  }

  // MARK: - Type

  /// - Returns: The rules of the type, or nil if it is unknown.
  /// - Throws: `invalidEvent`, `reservedType` or `unknownType`.
  func checkType(
    of draft: EventDraft, allowingUnknown allowsUnknownTypes: Bool
  ) throws(EventLogError) -> EventTypeRules? {
    if let rules = catalog.rules(of: draft.type) { return rules }
    guard EventDraft.isValid(type: draft.type) else {
      throw EventLogError(
        .invalidEvent,
        "\"\(draft.type)\" is not an event type: a type is <kind>.<verb>, 3 to 64 characters of a-z"
          + " 0-9 . _ -. Nothing was written.", hint: EventLogError.AppHint.invalidType)
    }
    if SchemaCatalog.isReserved(type: draft.type) {
      throw EventLogError(
        .reservedType,
        "\(draft.type) is written only by the store and cannot be appended. Nothing was written.",
        hint: "Leave it out: the store writes it by itself.")
    }
    if allowsUnknownTypes { return nil }
    // Don't suggest a type of an unrelated kind, even if it is spelled similarly.
    let kind = String(draft.type.prefix { $0 != "." })
    let kinds = catalog.typeNames.map { String($0.prefix { $0 != "." }) }
    let near =
      Suggestion.nearest(to: kind, among: kinds) == nil
      ? nil : Suggestion.nearest(to: draft.type, among: catalog.typeNames)
    throw EventLogError(
      .unknownType, "Unknown type \"\(draft.type)\". Nothing was written.",
      hint: near.map { "Did you mean \($0)?" } ?? EventLogError.AppHint.unknownType)
  }

  // MARK: - Entity

  private func checkEntityForm(
    _ draft: EventDraft, _ rules: EventTypeRules
  ) throws(EventLogError) {
    let kind = rules.collection.kind
    if rules.collection.isSingleton {
      guard draft.entity == nil else {
        throw .refused(
          draft, "it takes no entity, because there is only one \(kind)",
          hint: "Leave the entity out.")
      }
      return
    }
    guard let entity = draft.entity else {
      throw .refused(
        draft, "it needs an entity, \(kind)/<key>",
        hint: "Add the ID of the \(kind) that it is about.")
    }
    guard entity.kind == kind else {
      throw .refused(
        draft, "its entity must be a \(kind), but \"\(entity)\" is not one",
        hint: "Use the ID of a \(kind), \(kind)/<key>.")
    }
  }

  private func index(of entity: EntityID) -> Int? {
    var name: [UInt8] = []
    name.reserveCapacity(entity.kind.utf8.count + 1 + entity.key.utf8.count)
    name.append(text: entity.kind)
    name.append(UInt8(ascii: "/"))
    name.append(text: entity.key)
    return entityNames.find(name)
  }

  private func exists(_ index: Int?) -> Bool {
    index.map { entities[$0].row >= 0 } ?? false
  }

  private func isHidden(_ index: Int?) -> Bool {
    index.map { presences.isHidden(Int32($0)) } ?? false
  }

  private func checkExistence(
    _ draft: EventDraft, _ lifecycle: EventSchema.Lifecycle, _ index: Int?, _ words: Append.Words
  ) throws(EventLogError) {
    guard let entity = draft.entity else { return }
    if lifecycle == .begins {
      guard !exists(index) else {
        throw EventLogError(
          .entityExists, "\"\(entity)\" already exists. Nothing was written.",
          hint: isHidden(index)
            ? name(of: .restores, entity, words).map { "It is deleted: \($0) restores it." }
            : name(of: .none, entity, words).map {
              "Use \($0) to change it, or choose another key."
            }
              ?? "Choose another key.")
      }
      return
    }
    try checkExists(entity, index, words)
    if lifecycle != .restores { try checkNotHidden(entity, index, words) }
  }

  /// Checks that an entity exists and isn't deleted, so that it can be linked to.
  ///
  /// - Throws: `noEntity` or `deletedEntity`.
  package func checkIsShown(_ entity: EntityID) throws(EventLogError) {
    let index = index(of: entity)
    try checkExists(entity, index, .types)
    try checkNotHidden(entity, index, .types)
  }

  private func checkExists(
    _ entity: EntityID, _ index: Int?, _ words: Append.Words
  ) throws(EventLogError) {
    guard !exists(index) else { return }
    throw EventLogError(
      .noEntity, "\"\(entity)\" does not exist. Nothing was written.",
      hint: suggestion(for: entity)
        ?? name(of: .begins, entity, words).map { "\($0) creates a new one." }
        ?? EventLogError.AppHint.noEntity)
  }

  private func checkNotHidden(
    _ entity: EntityID?, _ index: Int?, _ words: Append.Words
  ) throws(EventLogError) {
    guard let entity, isHidden(index) else { return }
    throw EventLogError(
      .deletedEntity, "\"\(entity)\" is deleted. Nothing was written.",
      hint: name(of: .restores, entity, words)
        .map { "\($0) restores it with all its data." } ?? "Use another entity.")
  }

  /// The method or the first type that creates, edits or restores an entity of a kind, for a hint.
  private func name(
    of lifecycle: EventSchema.Lifecycle, _ entity: EntityID, _ words: Append.Words
  ) -> String? {
    switch (words, lifecycle) {
    case (.methods, .none): "edit(_:)"
    case (.methods, .restores): "restore(_:)"
    // The default hint is more helpful.
    case (.methods, _): nil
    case (.types, _):
      catalog.collection(kind: entity.kind)?.events.first { $0.lifecycle == lifecycle }?.type
    }
  }

  private func suggestion(for entity: EntityID) -> String? {
    self.entity(nearestTo: entity.key, kind: entity.kind).map { "Did you mean \($0)?" }
  }

  // MARK: - Sets

  /// Checks that an append doesn't silently turn a register into a set, or a set into a register.
  private func checkSetKeys(
    _ draft: EventDraft, _ rules: EventTypeRules, _ ledger: Ledger
  ) throws(EventLogError) {
    let (event, collection) = (rules.event, rules.collection)
    let row = Int32(rules.collectionIndex)
    func field(_ name: String) -> Int32? {
      fieldNames.find(StringSpelling.spelled(name.utf8)).map { Int32($0) }
    }
    if event.writesFields {
      for member in draft.data.members {
        guard let field = field(member.name), findSet(row, field) != nil else { continue }
        throw .refused(
          draft, "\"\(member.name)\" is a set",
          hint: "\(collection.kind).included and \(collection.kind).excluded change it.")
      }
    }
    for declared in event.members where declared.role == .key {
      guard case .string(let key)? = draft.data[declared.name], let field = field(key),
        findSet(row, field) == nil
      else { continue }
      let register = findRegister(row, field)
      guard register >= 0 else { continue }
      let shown = registers.bytes(registers.shown(Int(register), ledger))
      guard JSONValue(canonical: shown) != .null else { continue }
      throw .refused(
        draft, "\"\(key)\" has a value and is not a set; a set with that name would hide it",
        hint: "Set it to null first, or choose another key.")
    }
  }
}

extension EventLogError {
  /// The error for an event that breaks a rule.
  static func refused(
    _ draft: EventDraft, _ reason: String, hint: String? = nil
  ) -> EventLogError {
    EventLogError(
      .invalidEvent, "\(draft.type) was refused: \(reason). Nothing was written.", hint: hint)
  }
}
