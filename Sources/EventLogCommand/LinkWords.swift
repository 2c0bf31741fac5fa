import EventLog

/// The words for linked entities: keys, key prefixes or names.
struct LinkWords {
  /// The members of the event's data that contain such words, with the entities' kinds.
  let kinds: [String: String]
  let catalog: SchemaCatalog
  /// Whether an event may link to an entity that doesn't exist or is deleted.
  let takesAnyEntity: Bool

  /// Replaces the words with the IDs of the entities that they identify.
  ///
  /// Removing a link from a set is allowed for any entity, because invalid links must be removable.
  ///
  /// - Throws: `noEntity` if a word identifies none, or several; `deletedEntity`.
  func resolve(in draft: inout EventDraft, _ state: Snapshot) throws(EventLogError) {
    let event = catalog.type(draft.type)?.event
    for (name, kind) in kinds {
      let isRemoved = event?.member(name)?.role == .exclude
      func link(_ value: JSONValue) throws(EventLogError) -> JSONValue {
        guard case .string(let word) = value else { return value }
        return .string(try self.link(word, kind, isRemoved: isRemoved, state))
      }
      do throws(EventLogError) {
        guard case .array(let words)? = draft.data[name] else {
          draft.data[name] = try draft.data[name].map(link)
          continue
        }
        draft.data[name] = .array(try words.map(link))
      } catch {
        throw EventLogError(
          error.code, "\(draft.type) was refused: \(error.message)", hint: error.hint)
      }
    }
  }

  private func link(
    _ word: String, _ kind: String, isRemoved: Bool, _ state: Snapshot
  ) throws(EventLogError) -> String {
    if word.isEmpty { return word }
    if let id = EntityID(word), id.kind != kind { return word }
    let entity = try state.fold.entity(named: word, kind: kind, includingDeleted: isRemoved)
    if isRemoved || takesAnyEntity { return entity.description }
    do throws(EventLogError) { try state.fold.checkIsShown(entity) } catch {
      throw EventLogError(
        error.code, error.message,
        hint: (error.hint.map { "\($0) " } ?? "") + "--force links to it anyway.")
    }
    return entity.description
  }
}

extension ValueRule {
  /// The kind of the linked entities, or nil if the rule's values aren't links.
  var linkedKind: String? {
    switch self {
    case .entity(let kind), .list(of: .entity(let kind)): kind
    default: nil
    }
  }
}
