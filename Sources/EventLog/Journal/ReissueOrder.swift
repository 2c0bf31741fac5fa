/// The lines that are written again, in an order in which each stands behind what it goes on from.
struct ReissueOrder {
  /// Such a line, read.
  struct Loser {
    let event: EventID
    let seen: [(device: DeviceID, sequence: Int64)]
    /// Tells what it says from what others say.
    let content: UInt32
    /// Without its LF.
    var line: [UInt8] = []

    /// What is not written again yet and has to be first: of others, what it has seen; of its own
    /// device, itself stands for what comes before it.
    func firstMissing(
      _ isReady: (EventID, [(device: DeviceID, sequence: Int64)]) -> Bool
    ) -> EventID? {
      for entry in seen where !isReady(event, [entry]) {
        return isReady(event, [])
          ? EventID(device: entry.device, sequence: entry.sequence) : event
      }
      return isReady(event, []) ? nil : event
    }
  }

  /// In the order of the file.
  private var lines: [(event: EventID, place: JournalRewrite.Place)] = []
  private var events: Set<EventID> = []
  /// Per device what has come up and is not written, and how much of that is.
  private var queues: [DeviceID: (places: [JournalRewrite.Place], next: Int)] = [:]
  /// Per device its next line, where that has to wait.
  private var heads: [DeviceID: Loser] = [:]
  /// Per device whose next lines wait for it.
  private var watchers: [DeviceID: [DeviceID]] = [:]

  /// Adds a line, unless its event is among them already.
  mutating func insert(_ event: EventID, at place: JournalRewrite.Place) {
    if events.insert(event).inserted { lines.append((event, place)) }
  }

  /// Brings each device's lines in the order of their sequences. Devices keep the places that they
  /// have among each other: in a file that is in order, all do.
  ///
  /// - Returns: per device the sequences, ascending.
  mutating func sort() -> [DeviceID: [Int64]] {
    let sorted = Dictionary(grouping: lines) { $0.event.device }
      .mapValues { $0.sorted { $0.event.sequence < $1.event.sequence } }
    var next: [DeviceID: Int] = [:]
    for index in lines.indices {
      let device = lines[index].event.device
      let place = next[device, default: 0]
      lines[index] = sorted[device]![place]
      next[device] = place + 1
    }
    return sorted.mapValues { $0.map(\.event.sequence) }
  }

  /// Writes each line once all that it goes on from is written.
  ///
  /// - Parameter missing: what of that is not written yet.
  /// - Returns: false if some line waits for what never comes.
  /// - Complexity: each line is read once; O(n · devices) comparisons.
  mutating func run(
    read: (JournalRewrite.Place) throws(EventLogError) -> Loser?, missing: (Loser) -> EventID?,
    write: (Loser) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Bool {
    for (event, place) in lines {
      queues[event.device, default: ([], 0)].places.append(place)
      var due = heads[event.device] == nil ? [event.device] : []
      while let device = due.popLast() {
        while let loser = try next(of: device, read) {
          if let event = missing(loser) {
            heads[device] = loser
            watchers[event.device, default: []].append(device)
            break
          }
          heads[device] = nil
          try write(loser)
          guard let watching = watchers.removeValue(forKey: device) else { continue }
          for watcher in watching {
            if let head = heads[watcher], missing(head)?.device == device {
              watchers[device, default: []].append(watcher)
            } else {
              due.append(watcher)
            }
          }
        }
      }
    }
    return heads.isEmpty
  }

  /// A device's next line that is not written.
  private mutating func next(
    of device: DeviceID, _ read: (JournalRewrite.Place) throws(EventLogError) -> Loser?
  ) throws(EventLogError) -> Loser? {
    if let head = heads[device] { return head }
    while let queue = queues[device], queue.next < queue.places.count {
      queues[device]!.next += 1
      if let loser = try read(queue.places[queue.next]) { return loser }
    }
    return nil
  }
}
