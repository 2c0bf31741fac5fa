import EventLog

/// References to linked entities as typed: keys, key prefixes or names.
struct LinkArguments {
  /// The members of the event's data that contain references, with the kinds of the linked
  /// entities.
  let kinds: [String: String]
  let catalog: SchemaCatalog
  /// Whether an event may link to an entity that doesn't exist or is deleted.
  let takesAnyEntity: Bool

  /// Replaces the references with entity IDs.
  ///
  /// Removing a link from a set is allowed for any entity, because invalid links must be removable.
  ///
  /// - Throws: `noEntity` if a reference matches no entity or several; `deletedEntity`.
  func resolve(in draft: inout EventDraft, _ state: Snapshot) throws(EventLogError) {
    let event = catalog.type(draft.type)?.event
    for (name, kind) in kinds {
      let isRemoved = event?.member(name)?.role == .exclude
      func link(_ value: JSONValue) throws(EventLogError) -> JSONValue {
        guard case .string(let text) = value else { return value }
        return .string(try self.link(text, kind, isRemoved: isRemoved, state))
      }
      do throws(EventLogError) {
        guard case .array(let texts)? = draft.data[name] else {
          draft.data[name] = try draft.data[name].map(link)
          continue
        }
        draft.data[name] = .array(try texts.map(link))
      } catch {
        throw EventLogError(
          error.code, "\(draft.type) was refused: \(error.message)", hint: error.hint)
      }
    }
  }

  private func link(
    _ text: String, _ kind: String, isRemoved: Bool, _ state: Snapshot
  ) throws(EventLogError) -> String {
    if text.isEmpty { return text }
    if let id = EntityID(text), id.kind != kind { return text }
    let entity = try state.fold.entity(named: text, kind: kind, includingDeleted: isRemoved)
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
