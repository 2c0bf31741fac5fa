extension Snapshot {
  /// A device that has written events in the journal.
  public struct Device: Sendable, Hashable, Identifiable {
    /// The device's ID.
    public let id: DeviceID
    /// The name that the device gave itself when it joined, such as `phone`.
    ///
    /// Empty if the device's first event is missing.
    public let name: String
    /// A Boolean value that indicates whether this is the device of the store that provided the
    /// snapshot.
    public let isOwn: Bool
  }

  /// Returns the device with an ID, or `nil` if the journal contains no events of it.
  ///
  /// - Parameter id: The device's ID.
  public func device(_ id: DeviceID) -> Device? {
    guard let number = ledger.find(id), !ledger.devices[number].branches.isEmpty else { return nil }
    return device(number)
  }

  /// The devices that have written events, sorted by ID.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of devices.
  public var devices: [Device] {
    ledger.devices.indices.filter { !ledger.devices[$0].branches.isEmpty }.map(device)
      .sorted { $0.id < $1.id }
  }

  private func device(_ number: Int) -> Device {
    let id = DeviceID(trusted: ledger.names.text(number))
    return Device(id: id, name: ledger.name(of: number), isOwn: id == deviceID)
  }
}
