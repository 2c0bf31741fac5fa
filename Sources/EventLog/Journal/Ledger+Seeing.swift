extension Ledger {
  /// Per device its first event that has seen one of the given events or a later one of its device.
  func firstSeeing(_ events: [DeviceID: Int64]) -> [DeviceID: Int64] {
    var first: [DeviceID: Int64] = [:]
    for (other, sequence) in events {
      guard let other = find(other) else { continue }
      for device in devices.indices where device != other {
        guard let seen = history.firstEvent(of: device, thatHasSeen: other, from: sequence) else {
          continue
        }
        let id = DeviceID(trusted: name(device))
        first[id] = min(first[id] ?? .max, seen)
      }
    }
    return first
  }
}
