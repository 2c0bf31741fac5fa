import EventLog

/// Words that were typed for the entities that an event links to: keys, beginnings of keys, names.
struct LinkWords {
  /// The members of the event's data that hold such words, with the kinds of the entities.
  let kinds: [String: String]
  let catalog: SchemaCatalog
  /// Whether an event may link to an entity that the journal does not show.
  let takesAnyEntity: Bool

  /// Replaces the words by the IDs of the entities that they identify.
  ///
  /// A set gives up links to any entity, since what it should not contain has to leave it.
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
    let key = word.hasPrefix("\(kind)/") ? String(word.dropFirst(kind.utf8.count + 1)) : word
    let entity = try state.fold.entity(named: key, kind: kind, includingDeleted: isRemoved)
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
  /// The kind of the entities that the values of the rule link to, or nil if they are no links.
  var linkedKind: String? {
    switch self {
    case .entity(let kind), .list(of: .entity(let kind)): kind
    default: nil
    }
  }
}
