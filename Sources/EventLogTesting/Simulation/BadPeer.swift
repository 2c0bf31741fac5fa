import EventLog
import Synchronization

/// In what a device does not keep to what it should.
package enum BadPeer: String, Sendable, CaseIterable {
  /// One of its lines is missing.
  case gap
  /// A bit of one of its lines has flipped.
  case changedLine
  /// It states a device of another user, and hands out its events.
  case strangeDevice
  /// It states a device that has seen what nobody has written.
  case unseenEvent
  /// Between its lines there is one that is longer than any may be.
  case longLine
  /// It says that it holds more than it does.
  case overstating
  /// It says that it holds less than it does.
  case understating
  /// It says that it is another user's.
  case otherUser
  /// It hands out what it holds and was not asked for.
  case unaskedLines
  /// It says that what it holds is missing everywhere.
  case denying
  /// It says that it has taken what it has thrown away.
  case forgetful
  /// It gives up in the middle.
  case failing

  /// What it does, for a list of actions.
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

  /// Lines of a device that nobody may take, or nobody may take all of, and where they end.
  var strangeLines: (end: FullEventID, lines: [[UInt8]])? {
    guard self == .strangeDevice || self == .unseenEvent else { return nil }
    let device = DeviceID(self == .strangeDevice ? "stranger-aaaaaaaa" : "unseen-aaaaaaaa")!
    var (lines, chain) = ([[UInt8]](), UInt32(0))
    func add(_ covered: String) {
      let checksum = LineChecksum.of(covered: Array(covered.utf8), after: chain)
      chain = checksum.chain
      lines.append(Array("\(covered),\"crc\":\"\(checksum)\"}".utf8))
    }
    let user = self == .strangeDevice ? "ben" : "ada"
    add(
      #"{"id":"\#(device):1","at":"2026-01-01T00:00:00.000Z","type":"device.joined","#
        + #""data":{"user":"\#(user)","name":"stranger"}"#)
    let seen = self == .strangeDevice ? "" : #""seen":["nobody-aaaaaaaa:3~0123abcd"],"#
    add(
      #"{"id":"\#(device):2","at":"2026-01-01T00:00:00.000Z","type":"device.noted",\#(seen)"#
        + #""data":{}"#)
    return (FullEventID(device: device, sequence: 2, chain: chain), lines)
  }
}
