import EventLogCollections
import EventLogTesting

@testable import EventLog

/// A device with a fork: two copies have continued its history.
struct ForkedDevice {
  /// The lines that both copies hold, from the join event on.
  let common: [[UInt8]]
  let left: [[UInt8]]
  let right: [[UInt8]]
  let id: DeviceID
  /// The last common event.
  var fork: FullEventID { Self.event(common.last!) }

  init(_ id: String = "twin-aaaaaaaa", common: Int, left: Int, right: Int) {
    var one = HandmadeDevice(id)
    self.id = one.id
    self.common = [one.join(user: "ada")] + (1..<common).map { _ in one.event() }
    var other = one
    self.left = (0..<left).map { one.event(text: "left \($0)") }
    self.right = (0..<right).map { other.event(text: "right \($0)") }
  }

  /// The checksum of a line.
  static func checksum(_ line: [UInt8]) -> LineChecksum { sealedTail(of: line)! }

  /// The full ID of a line.
  static func event(_ line: [UInt8]) -> FullEventID {
    guard case .object(let object)? = try? JSONValue(parsing: line),
      case .string(let text)? = object["id"], let id = EventID(text)
    else { preconditionFailure("A line that a test has written is none.") }
    return FullEventID(device: id.device, sequence: id.sequence, chain: checksum(line).chain)
  }
}
