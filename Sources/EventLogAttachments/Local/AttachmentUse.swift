package import EventLog

/// A place in the state that names an attachment.
package struct AttachmentUse: Sendable, Hashable {
  package let attachment: Attachment
  /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
  package let entity: String
  package let field: String
  /// The event that wrote the value.
  package let event: EventID?
  /// When the value was written, by its writer's clock.
  package let at: Timestamp?
  /// Whether the state shows it: not a deleted entity's, nor one that lost a conflict for now.
  package let isShown: Bool

  /// Returns whether an event of the journal wrote the value.
  ///
  /// - Parameter id: The event's ID, with its chain if another event has the same short ID.
  package func isWritten(by id: EventID) -> Bool {
    guard let event, event.device == id.device, event.sequence == id.sequence else { return false }
    return event.chain == nil || event.chain == id.chain
  }
}

extension Sequence<AttachmentUse> {
  /// The named contents, once each, in the order of their first uses.
  ///
  /// Attachments with different names or types may share a content.
  package var contents: [Attachment] {
    var seen: Set<Attachments.ContentKey> = []
    return map(\.attachment).filter { seen.insert(Attachments.ContentKey($0)).inserted }
  }
}

extension Snapshot {
  /// Returns all attachments that the state names, the newest first.
  ///
  /// These are the values of fields, also of deleted entities, which may be restored, and all
  /// candidates of open conflicts. A value of any rule counts that has the form of an attachment,
  /// or is a list of such values.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities of the collections that can
  ///   name attachments.
  package var attachmentUses: [AttachmentUse] {
    var uses: [AttachmentUse] = []
    for collection in catalog.collections where collection.mayNameAttachments {
      if collection.isSingleton {
        add(singleton(collection.kind), of: collection.kind, isShown: true, to: &uses)
        continue
      }
      for entity in entities(collection.kind, includingDeleted: true) {
        let (id, isShown) = (entity.id.description, !entity.isDeleted)
        add(entity.fields, of: id, isShown: isShown, to: &uses)
        for day in entity.days {
          add(day.fields, of: "\(id)@\(day.day)", isShown: isShown, to: &uses)
        }
      }
    }
    // A restoration shows the conflicts of a deleted entity again.
    let all = fold.conflicts(ledger, includingDeleted: true, bases: ConflictBases())
    for conflict in all where conflict.kind == .values {
      for candidate in conflict.candidates where !candidate.isMeant(by: conflict.shown) {
        for attachment in candidate.value.attachments {
          uses.append(
            AttachmentUse(
              attachment: attachment, entity: conflict.entity, field: conflict.field,
              event: candidate.event, at: candidate.at, isShown: false))
        }
      }
    }
    // Sorting numbers takes less memory than sorting copies.
    let times = uses.map { $0.at?.milliseconds ?? 0 }
    return uses.indices.sorted { (times[$1], $0) < (times[$0], $1) }.map { uses[$0] }
  }

  private func add(
    _ fields: [ProjectedField], of entity: String, isShown: Bool, to uses: inout [AttachmentUse]
  ) {
    for field in fields {
      guard case .json(let value) = field.value else { continue }
      let attachments = value.attachments
      if attachments.isEmpty { continue }
      let origin = origin(of: field.name, in: entity)
      for attachment in attachments {
        uses.append(
          AttachmentUse(
            attachment: attachment, entity: entity, field: field.name, event: origin?.event,
            at: origin?.at, isShown: isShown))
      }
    }
  }
}

extension Conflict.Candidate {
  fileprivate func isMeant(by id: EventID?) -> Bool { id.map { isMeant(by: $0) } ?? false }
}

extension CollectionSchema {
  fileprivate var mayNameAttachments: Bool {
    takesFurtherFields
      || (fields + dayFields).contains { field in
        if case .register(let rule) = field.mechanism { rule.mayNameAttachments } else { false }
      }
  }
}

extension ValueRule {
  fileprivate var mayNameAttachments: Bool {
    switch self {
    case .any, .attachment: true
    case .list(let rule): rule.mayNameAttachments
    default: false
    }
  }
}

extension JSONValue {
  /// The attachments that a value names: itself, or the elements of a list.
  fileprivate var attachments: [Attachment] {
    switch self {
    case .object: Attachment(json: self).map { [$0] } ?? []
    case .array(let values): values.flatMap(\.attachments)
    default: []
    }
  }
}
