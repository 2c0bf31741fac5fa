extension Snapshot {
  /// A copy of the journal that has written something in it.
  public struct Device: Sendable, Hashable, Identifiable {
    /// The ID under which it writes.
    public let id: DeviceID
    /// What it called itself when it joined, for example `phone`; empty where its first event is
    /// missing.
    public let name: String
    /// Whether it is the one whose state this is.
    public let isOwn: Bool
  }

  /// The device of an ID; nil where no event of it is held.
  public func device(_ id: DeviceID) -> Device? {
    guard let number = ledger.find(id), !ledger.devices[number].branches.isEmpty else { return nil }
    return device(number)
  }

  /// All devices that have written, by ID.
  ///
  /// - Complexity: O(n log n) in the devices.
  public var devices: [Device] {
    ledger.devices.indices.filter { !ledger.devices[$0].branches.isEmpty }.map(device)
      .sorted { $0.id < $1.id }
  }

  private func device(_ number: Int) -> Device {
    let id = DeviceID(trusted: ledger.names.text(number))
    return Device(id: id, name: ledger.name(of: number), isOwn: id == deviceID)
  }
}
