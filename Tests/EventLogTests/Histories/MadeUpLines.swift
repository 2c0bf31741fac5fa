import EventLog
import EventLogTesting

/// Valid lines that no writer would write: they continue any event, list any event as seen, start
/// batches that never end, join as other users, and adopt any user.
struct MadeUpLines {
  private(set) var lines: [[UInt8]] = []
  private var ids: [FullEventID] = []
  private var generator: SplitMix64
  private let batches: Int
  private let users: Int
  /// The devices that join as a guest.
  private var guests: Set<DeviceID> = []

  /// - Parameters:
  ///   - batches: the percentage of lines with `more`.
  ///   - users: the percentage of guest devices; half of it is the percentage of adoptions.
  init(seed: UInt64, count: Int, batches: Int, users: Int) {
    generator = SplitMix64(seed: seed)
    self.batches = batches
    self.users = users
    for device in Self.devices where happens(users) { guests.insert(device) }
    for index in 0..<count { add(index) }
  }

  private mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  private static let devices = ["a", "b", "c"].map { DeviceID($0)! }

  private mutating func device() -> DeviceID { Self.devices.randomElement(using: &generator)! }

  /// Returns a held event or a missing one, at times the same missing one; nil for none.
  private mutating func event(of device: DeviceID) -> FullEventID? {
    let own = ids.filter { $0.device == device }
    if let event = own.randomElement(using: &generator), happens(85) { return event }
    if happens(30) { return nil }
    return FullEventID(
      device: device, sequence: Int64.random(in: 1...5, using: &generator),
      chain: UInt32.random(in: 1...3, using: &generator))
  }

  private mutating func add(_ index: Int) {
    let device = device()
    let before = event(of: device)
    var seen: Set<FullEventID> = []
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      if let event = event(of: self.device()) { seen.insert(event) }
    }
    let at = Timestamp(
      milliseconds: 1_800_000_000_000 + Int64.random(in: 0...3, using: &generator))!
    var (type, data): (String, JSONObject) = ("settings.changed", [:])
    data["k"] = .number(JSONNumber(Int64(index)))
    if before == nil {
      type = "device.joined"
      data["user"] = guests.contains(device) ? "guest" : "ada"
      data["name"] = "A"
    } else if happens(users / 2) {
      type = "user.adopted"
      data["from"] = happens(70) ? "guest" : "ada"
      data["to"] = happens(70) ? "ada" : "guest"
    }
    var writer = HandmadeDevice(device, after: before)
    let line = writer.write(type, nil, data, at: at, seeing: Array(seen), more: happens(batches))
    lines.append(line + [0x0A])
    ids.append(writer.tip)
  }
}
