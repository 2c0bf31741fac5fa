/// A device that carries events again that had been written under other IDs.
public struct Reissue: Sendable, Hashable {
  /// Who carries them.
  public let device: DeviceID
  /// The first of them, under the ID that it first had.
  public let original: EventID
  /// Its `crc` under that ID.
  public let checksum: LineChecksum

  public init(device: DeviceID, original: EventID, checksum: LineChecksum) {
    self.device = device
    self.original = original
    self.checksum = checksum
  }
}
