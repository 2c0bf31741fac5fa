public import EventLog

/// The candidate that resolves a conflict between an account and a guest whom it has adopted.
public enum ConflictPreference: String, Sendable, Hashable, CaseIterable {
  /// The latest candidate of a device that joined as the journal's user.
  case account
  /// The latest candidate of a device that joined as an adopted user.
  case guest
  /// The latest candidate.
  case latest
}

extension EventStore {
  /// Resolves conflicts, as a snapshot showed them, in one append.
  ///
  /// A conflict is left open if it has no candidate of the preferred side, or if all of its
  /// candidates are of that side: then there is nothing to prefer. If an entity is deleted by this
  /// call, its other conflicts no longer exist.
  ///
  /// - Parameters:
  ///   - conflicts: The conflicts, as a snapshot showed them.
  ///   - preference: The side whose candidate to choose.
  /// - Returns: The receipt of the append, and the conflicts that were left open.
  /// - Throws: `noConflict` if a conflict is already resolved; `changedMeanwhile` if one has a new
  ///   candidate; `eventTooLarge`; and the errors of
  ///   `EventStore.append(_:asOf:durability:allowingUnknownTypes:)`. If one conflict is refused,
  ///   none is resolved.
  @discardableResult
  public func resolve(
    _ conflicts: [Conflict], preferring preference: ConflictPreference
  ) async throws(EventLogError) -> (receipt: AppendReceipt, left: [Conflict]) {
    let (choices, left) = snapshot.choices(in: conflicts, preferring: preference)
    return (try await resolve(choices), left)
  }
}

extension Snapshot {
  /// Returns the candidates that ``EventStore/resolve(_:preferring:)`` chooses, and the conflicts
  /// that it leaves open.
  package func choices(
    in conflicts: [Conflict], preferring preference: ConflictPreference
  ) -> (choices: [(conflict: Conflict, event: EventID)], left: [Conflict]) {
    var left: [Conflict] = []
    var choices: [(conflict: Conflict, event: EventID)] = []
    for conflict in conflicts {
      if let event = preferred(preference, in: conflict) {
        choices.append((conflict, event))
      } else {
        left.append(conflict)
      }
    }
    let deleted = Set(
      choices.filter { $0.conflict.kind == .presence && $0.conflict.isDeletion($0.event) }
        .map { $0.conflict.entity })
    // Conflicts of a deleted entity no longer exist.
    choices.removeAll { choice in
      choice.conflict.kind == .values && deleted.contains(choice.conflict.owner)
    }
    return (choices, left)
  }
}

extension Snapshot {
  /// Returns the preferred candidate, or nil if the side has none or all are from that side.
  fileprivate func preferred(
    _ preference: ConflictPreference, in conflict: Conflict
  ) -> EventID? {
    var candidates = conflict.candidates
    switch preference {
    case .latest:
      if let shown = conflict.shown { return shown }
    case .account, .guest:
      candidates = candidates.filter {
        isAdopted($0.fullID) == (preference == .guest)
      }
      if candidates.count == conflict.candidates.count { return nil }
    }
    return candidates.max { ($0.at, $0.fullID) < ($1.at, $1.fullID) }?.fullID.id
  }
}

extension Conflict {
  /// Returns whether a candidate of a presence conflict is a deletion.
  fileprivate func isDeletion(_ event: EventID) -> Bool {
    candidates.contains { $0.isMeant(by: event) && $0.isDeletion }
  }

  /// The entity of the conflict, without the date if the conflict is about a day.
  fileprivate var owner: String { String(entity.prefix { $0 != "@" }) }
}
