import EventLog
import Synchronization

/// A way in which a device violates the protocol.
package enum BadPeer: String, Sendable, CaseIterable {
  /// It omits a line.
  case gap
  /// It flips a bit of a line.
  case changedLine
  /// It states a device of another user, and sends its events.
  case strangeDevice
  /// It states a device that has seen an event that doesn't exist.
  case unseenEvent
  /// It sends a line that is longer than the limit.
  case longLine
  /// It states more events than it holds.
  case overstating
  /// It states fewer events than it holds.
  case understating
  /// It states another user.
  case otherUser
  /// It sends events that weren't requested.
  case unaskedLines
  /// It states that its own events are missing everywhere.
  case denying
  /// It discards the lines that it receives.
  case forgetful
  /// It fails in the middle of a sync.
  case failing

  /// The predicate for a list of actions.
  var text: String {
    switch self {
    case .gap: "omits a line"
    case .changedLine: "sends a changed line"
    case .strangeDevice: "sends another user's events"
    case .unseenEvent: "sends an event that has seen a missing one"
    case .longLine: "sends a line without an end"
    case .overstating: "claims to contain more"
    case .understating: "claims to contain less"
    case .otherUser: "claims to belong to another user"
    case .unaskedLines: "sends what it was not asked for"
    case .denying: "claims that its events are missing"
    case .forgetful: "discards what it receives"
    case .failing: "gives up in the middle"
    }
  }

  /// The lines of a device that must be refused, at least in part, and their last event.
  var strangeLines: (end: FullEventID, lines: [[UInt8]])? {
    guard self == .strangeDevice || self == .unseenEvent else { return nil }
    var device = HandmadeDevice(
      self == .strangeDevice ? "stranger-aaaaaaaa" : "unseen-aaaaaaaa")
    let unknownEvent = FullEventID(
      device: DeviceID("nobody-aaaaaaaa")!, sequence: 3, chain: 0x0123_ABCD)
    let joining = device.join(user: self == .strangeDevice ? "ben" : "ada")
    let line = device.write("device.noted", seeing: self == .strangeDevice ? [] : [unknownEvent])
    return (device.tip, [joining, line])
  }
}
