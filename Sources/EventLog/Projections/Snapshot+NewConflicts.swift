extension Snapshot {
  /// The conflicts that somebody who was shown an earlier state does not know: new ones, and those
  /// that have got a further candidate.
  ///
  /// - Complexity: O(conflicts of both states).
  public func conflicts(since earlier: Snapshot) -> [Conflict] {
    conflicts(besides: earlier.conflictCandidates)
  }

  /// The candidates of each conflict, by its ID as bytes: to `==`, some different IDs are one.
  var conflictCandidates: [[UInt8]: Set<EventID>] {
    fold.conflictCandidates(ledger, includingDeleted: includesDeleted)
  }

  /// The conflicts that are not among those given, and those that have a further candidate.
  func conflicts(besides known: [[UInt8]: Set<EventID>]) -> [Conflict] {
    conflicts.filter { !isKnown($0, to: known) }
  }

  /// Whether the candidates of a conflict are all among those given, under whichever of their
  /// names.
  func isKnown(_ conflict: Conflict, to known: [[UInt8]: Set<EventID>]) -> Bool {
    guard let events = known[Array(conflict.id.utf8)] else { return false }
    return conflict.candidates.allSatisfy { candidate in
      ledger.names(of: candidate.event).contains(where: events.contains)
    }
  }
}

extension Fold {
  /// The candidates of each conflict, by its ID as bytes.
  func conflictCandidates(
    _ ledger: Ledger, includingDeleted: Bool = false
  ) -> [[UInt8]: Set<EventID>] {
    let devices = ledger.deviceIDs
    return Dictionary(
      openConflicts(ledger, includingDeleted: includingDeleted).map { open in
        (Array(id(of: open).utf8), Set(open.candidates.map { $0.id(devices) }))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The conflicts that are in none of the given states with all their candidates.
  func openConflicts(
    _ ledger: Ledger, besides known: [[[UInt8]: Set<EventID>]]
  ) -> [OpenConflict] {
    let devices = ledger.deviceIDs
    return openConflicts(ledger).filter { open in
      let id = Array(id(of: open).utf8)
      return !known.contains { candidates in
        guard let events = candidates[id] else { return false }
        return open.candidates.allSatisfy { candidate in
          // Another state may have called it otherwise.
          ledger.isAny(of: candidate.device, candidate.sequence) { device, sequence in
            events.contains(EventID(device: devices[Int(device)], sequence: sequence))
          }
        }
      }
    }
  }
}

extension Ledger {
  fileprivate var deviceIDs: [DeviceID] { devices.indices.map { DeviceID(trusted: name($0)) } }
}

extension Dot {
  fileprivate func id(_ devices: [DeviceID]) -> EventID {
    EventID(device: devices[Int(device)], sequence: sequence)
  }
}
