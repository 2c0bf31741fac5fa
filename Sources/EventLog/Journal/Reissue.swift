/// A device that carries events under new IDs, because two writers had used the old ones.
///
/// The first event that a device carries so tells where the old ID ended: whoever still holds that
/// very event holds a history that was given up elsewhere. Where that event had been issued again
/// before, its `was` names what it was at first, and the device says as it joins what it supersedes.
public struct Reissue: Sendable, Hashable {
  /// Who carries the events now.
  public var device: DeviceID
  /// What the first of them was called until then.
  public var original: EventID
  /// The checksum of the line that said so.
  public var checksum: LineChecksum

  public init(device: DeviceID, original: EventID, checksum: LineChecksum) {
    self.device = device
    self.original = original
    self.checksum = checksum
  }

  /// Reads what `was` says of an event of `device`; nil if it is not `<event ID>/<16 digits>`.
  package init?(device: DeviceID, was: String) {
    guard let slash = was.lastIndex(of: "/"), let original = EventID(String(was[..<slash])),
      let checksum = LineChecksum(String(was[was.index(after: slash)...]))
    else { return nil }
    self.init(device: device, original: original, checksum: checksum)
  }

  /// What `was` says.
  package var was: String { "\(original)/\(checksum)" }
}
