extension JournalWriter {
  /// Whether another copy of this journal has gone on under its device ID: somebody holds later
  /// events of it than this journal, or others.
  ///
  /// If so, the ID is given up. The journal is read again first, under the lock: another process of
  /// this very journal may have written and sent what somebody holds.
  func notice(
    _ points: [DeviceID: HistoryPoint], disputed: [DeviceID: Int64], rehearsing isRehearsal: Bool
  ) throws(EventLogError) -> Bool {
    guard let own = side.readRecord()?.device, let point = points[own] else { return false }
    guard isBeyond(point, own) || disputed[own] != nil else { return false }
    if isRehearsal { return true }
    var isTwin = false
    try whileLocked { (writer) throws(EventLogError) in
      guard writer.record?.device == own, writer.isBeyond(point, own) || disputed[own] != nil else {
        return
      }
      try writer.retireDevice()
      isTwin = true
    }
    return isTwin
  }

  private func isBeyond(_ point: HistoryPoint, _ device: DeviceID) -> Bool {
    point.sequence > (pass.ledger.find(device).map { pass.ledger.devices[$0].last } ?? 0)
  }
}
