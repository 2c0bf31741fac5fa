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
  /// - Parameters:
  ///   - givenUp: per device the first event that is not taken for known either.
  ///   - checksum: that of an event that was read.
  func cutToFrontier(
    before givenUp: [DeviceID: Int64] = [:],
    checksum: (EventID) throws(EventLogError) -> LineChecksum?
  ) throws(EventLogError) -> Ledger {
    var ledger = withoutNames
    for device in devices.indices {
      let id = DeviceID(trusted: name(device))
      let frontier = min(devices[device].frontier, (givenUp[id] ?? .max) - 1)
      if frontier >= devices[device].last { continue }
      var cut = Device()
      let event = EventID(device: id, sequence: frontier)
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
