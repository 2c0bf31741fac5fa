extension Ledger {
  /// What stands behind a hole, by device.
  package var stranded: [EventRange] {
    devices.indices.filter { devices[$0].isStopped && devices[$0].frontier < devices[$0].last }
      .map { device in
        EventRange(
          device: DeviceID(trusted: name(device)), first: devices[device].frontier + 1,
          last: devices[device].last)
      }.sorted()
  }

  /// What would be known had the reading met nothing behind a hole: what is to come may then fill
  /// it.
  ///
  /// - Parameter checksum: that of an event that was read.
  func cutToFrontier(
    checksum: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> Ledger {
    var ledger = withoutNames
    for device in devices.indices where devices[device].frontier < devices[device].last {
      let frontier = devices[device].frontier
      var cut = Device()
      let event = EventID(device: DeviceID(trusted: name(device)), sequence: frontier)
      if frontier > 0, let checksum = try checksum(event) {
        cut.name = devices[device].name
        (cut.last, cut.reached, cut.checksum) = (frontier, frontier, checksum)
      }
      ledger.devices[device] = cut
      ledger.rows[device] = ClockRow()
      guard cut.last > 0 else { continue }
      for (other, seen) in history.clock(of: device, at: frontier).enumerated()
      where other != device && seen > 0 {
        ledger.rows[device][other] = seen
      }
    }
    return ledger
  }
}
