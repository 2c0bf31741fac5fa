package import EventLog

/// Events of one device that somebody issues again under the ID of a fresh one.
package struct ReissuedRun: Sendable {
  package let device: DeviceID
  /// Of the fresh device.
  package let name: String
  package let events: ClosedRange<Int64>

  package init(_ device: DeviceID, as name: String, _ events: ClosedRange<Int64>) {
    self.device = device
    self.name = name
    self.events = events
  }
}

extension History {
  /// The same history after some of it was issued again, by several who did not know of each other.
  ///
  /// Each event has seen what it had seen, under one of the names that it has now, or several.
  ///
  /// - Parameters:
  ///   - runs: hold all events of their devices from some event on; some of them more than once.
  ///   - forgetting: in so many of a hundred copies something of the past is left out.
  package func reissued(
    _ runs: [ReissuedRun], forgetting percent: Int = 0, using generator: inout SplitMix64
  ) -> History {
    var history = History(user: user)
    var copies: [EventID: [EventID]] = [:]
    for entry in entries {
      let covering = runs.filter {
        $0.device == entry.id.device && $0.events.contains(entry.id.sequence)
      }
      for run in covering.shuffled(using: &generator) {
        let device = DeviceID(run.name + "-aaaaaaaa")!
        if !history.hasDevice(device) { history.device(run.name) }
        let forgets = Int.random(in: 0..<100, using: &generator) < percent
        let copy = history.add(
          entry, as: device, copies, forgetting: forgets, using: &generator)
        copies[entry.id, default: []].append(copy)
      }
      if covering.isEmpty {
        copies[entry.id] = [
          history.add(entry, as: entry.id.device, copies, forgetting: false, using: &generator)
        ]
      }
    }
    return history
  }

  private mutating func add(
    _ entry: Entry, as device: DeviceID, _ copies: [EventID: [EventID]], forgetting forgets: Bool,
    using generator: inout SplitMix64
  ) -> EventID {
    if entry.id.sequence == 1 {
      return EventID(device: self.device(String(device.text.dropLast(9))), sequence: 1)
    }
    let past = entry.clock.sorted { $0.key < $1.key }.map { other, sequence in
      EventID(device: other, sequence: other == entry.id.device ? sequence - 1 : sequence)
    }
    for event in past.shuffled(using: &generator).dropFirst(forgets ? 1 : 0) {
      let names = copies[event]!
      // What stands on the device itself was seen anyway.
      let isOwn = names.contains { $0.device == device }
      let count = Int.random(in: isOwn ? 0...names.count : 1...names.count, using: &generator)
      for name in names.shuffled(using: &generator).prefix(count) { hold(name, on: device) }
    }
    let checksum = String(decoding: entry.line.dropLast(3).suffix(16), as: UTF8.self)
    let was = device == entry.id.device ? nil : "\(entry.id)/\(checksum)"
    if entry.version > 1 { return appendLaterVersion(device, entry.entity!, was: was) }
    return append(
      device, EventDraft(at: entry.at, type: entry.type, entity: entry.entity, data: entry.data),
      was: was)
  }
}
