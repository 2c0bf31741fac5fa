import EventLog
import EventLogTesting

/// The lines of a simulation, each parsed once.
struct LineCache {
  private var known: [[UInt8]: ReferenceLine?] = [:]
  private var objects: [String: Set<FullEventID>] = [:]
  private var hashes: [FullEventID: UInt64] = [:]
  /// For each device, the users it joined as.
  private(set) var joined: [DeviceID: Set<String>] = [:]

  /// The valid lines of a journal, in order.
  mutating func read(_ bytes: [UInt8]?) -> [ReferenceLine] {
    guard let bytes else { return [] }
    return bytes.split(separator: 0x0A).compactMap { read(line: Array($0)) }
  }

  private mutating func read(line: [UInt8]) -> ReferenceLine? {
    if let line = known[line] { return line }
    let read = ReferenceLine(line)
    known[line] = .some(read)
    if let read, let joining = read.joining {
      joined[read.id.device, default: []].insert(joining.user)
    }
    return read
  }

  /// The events in an object of a storage, which never changes.
  mutating func read(object name: String, _ bytes: [UInt8]) -> Set<FullEventID> {
    if let events = objects[name] { return events }
    let events = Set(read(bytes).map(\.id))
    objects[name] = events
    return events
  }

  /// A hash of events that is independent of their order.
  mutating func hash(_ events: some Sequence<FullEventID>) -> UInt64 {
    events.reduce(0) { sum, event in
      if let hash = hashes[event] { return sum &+ hash }
      let hash = "\(event)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      hashes[event] = hash
      return sum &+ hash
    }
  }
}
