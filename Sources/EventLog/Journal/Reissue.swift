/// A device that carries events under new IDs, because two writers had used the old ones.
///
/// The first event that a device carries so tells where the old ID ended: whoever still holds that
/// very event holds a history that was given up elsewhere. Where that event had been issued again
/// before, its `was` names what it was at first; what it was last the device says as it joins.
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

extension Reissue {
  /// By device, and what it was called.
  static func isBefore(_ left: Reissue, _ right: Reissue) -> Bool {
    left.device == right.device
      ? left.was.utf8.lexicographicallyPrecedes(right.was.utf8) : left.device < right.device
  }

  /// Per device what it carries again: a text, or several.
  static func json(_ reissues: [Reissue]) -> JSONValue {
    var names: [DeviceID: [JSONValue]] = [:]
    for reissue in reissues { names[reissue.device, default: []].append(.string(reissue.was)) }
    return .object(
      JSONObject(
        names.sorted { $0.key < $1.key }.map { device, names in
          .init(name: device.text, value: names.count == 1 ? names[0] : .array(names))
        }))
  }

  /// None where there is no value; nil where it is of another form.
  static func reissues(_ value: JSONValue?) -> [Reissue]? {
    guard let value else { return [] }
    guard case .object(let object) = value else { return nil }
    var reissues: [Reissue] = []
    for member in object.members {
      guard let device = DeviceID(member.name) else { return nil }
      var names = [member.value]
      if case .array(let several) = member.value { names = several }
      for name in names {
        guard case .string(let was) = name, let reissue = Reissue(device: device, was: was) else {
          return nil
        }
        reissues.append(reissue)
      }
    }
    return reissues.sorted(by: isBefore)
  }
}
