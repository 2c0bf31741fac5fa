extension JournalWriter {
  /// Whether somebody says to hold events of this journal's own device that it does not hold: later
  /// ones than its last, or another one under a number of its own.
  ///
  /// Then the journal was rolled back, or a copy of it has gone on, and the ID is given up. The
  /// journal is read again first, under the lock: another process of this very journal may have
  /// written and sent what somebody holds.
  ///
  /// - Parameters:
  ///   - claims: what others say, each for itself; of events that nobody can read yet, too.
  ///   - isRehearsal: nothing is changed.
  /// - Returns: why the ID is given up, where that is news to the person whose journal it is.
  func notice(
    _ claims: [[DeviceID: HistoryPoint]], rehearsing isRehearsal: Bool = false
  ) throws(EventLogError) -> DeviceDecision.Reason? {
    guard let known = side.readRecord(), !known.isRetired else { return nil }
    let own = known.device
    let points = Set(claims.compactMap { $0[own] })
    guard try contradicts(points, of: own) else { return nil }
    var reason = foreseen
    if !isRehearsal {
      try whileLocked { (writer) throws(EventLogError) in
        reason = writer.decision
        guard writer.record?.device == own, try writer.contradicts(points, of: own) else {
          reason = .same(own)
          return
        }
        try writer.retireDevice(.continuedElsewhere)
        if case .same = reason { reason = writer.decision }
      }
      if case .same = reason { return nil }
    } else if case .same = reason {
      reason = .fresh(.continuedElsewhere)
    }
    return reason.reason.flatMap { $0.isTwin ? $0 : nil }
  }

  /// Whether one of the points is none of the own history.
  private func contradicts(
    _ points: Set<HistoryPoint>, of own: DeviceID
  ) throws(EventLogError) -> Bool {
    let state = pass.ledger.find(own).map { pass.ledger.devices[$0] }
    for point in points {
      guard point.sequence <= state?.last ?? 0 else { return true }
      let event = EventID(device: own, sequence: point.sequence)
      // A damaged line is no other event.
      if let held = try checksum(of: event), held != point.checksum { return true }
    }
    return false
  }
}
