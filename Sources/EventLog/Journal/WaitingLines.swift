/// The lines of a file that could not be given a place when their turn came, and what each of them
/// waits for.
struct WaitingLines {
  /// Such a line.
  struct Line {
    let place: JournalRewrite.Place
    let event: EventID
    /// What it says that it had seen of others.
    let seen: [EventID]
  }

  /// In the order of the file.
  private(set) var lines: [Line] = []
  /// Of each line, whether it has had its turn: what was refused then is refused for good.
  private var isOffered: [Bool] = []
  private var isPlaced: [Bool] = []
  /// Per device its lines in the order of their sequences, and how many of them are through.
  private var queues: [DeviceID: (indices: [Int], next: Int)] = [:]
  /// Per device who waits for which event of it.
  private var watchers: [DeviceID: [(sequence: Int64, device: DeviceID)]] = [:]

  var isEmpty: Bool { lines.isEmpty }
  var count: Int { lines.count }

  mutating func append(_ line: Line) { lines.append(line) }

  /// Offers each line a place once it is the next of its device and all that it has seen is there.
  /// Those that were given one leave.
  ///
  /// - Parameters:
  ///   - reached: the last event of a device that has a place; 0 for none.
  ///   - offer: gives a line a place if it fits; whether it did.
  /// - Complexity: O(n log n), for n lines; each of them is offered once.
  mutating func wake(
    reached: (DeviceID) -> Int64, offer: (Line) throws(EventLogError) -> Bool
  ) throws(EventLogError) {
    isOffered = Array(repeating: false, count: lines.count)
    isPlaced = isOffered
    // The order of the file, as far as it serves.
    for index in lines.indices where isDue(lines[index], reached) {
      try self.offer(index, offer)
    }
    queues = Dictionary(grouping: lines.indices.filter { !isOffered[$0] }) {
      lines[$0].event.device
    }.mapValues { indices in
      (indices.sorted { (lines[$0].event.sequence, $0) < (lines[$1].event.sequence, $1) }, 0)
    }
    var due = queues.keys.sorted(by: >)
    while let device = due.popLast() {
      try advance(device, reached, offer)
      let last = reached(device)
      let watching = watchers.removeValue(forKey: device) ?? []
      for watcher in watching {
        if watcher.sequence <= last {
          due.append(watcher.device)
        } else {
          watchers[device, default: []].append(watcher)
        }
      }
    }
    lines = lines.indices.filter { !isPlaced[$0] }.map { lines[$0] }
  }

  /// Offers what is due of a device, until nothing is.
  private mutating func advance(
    _ device: DeviceID, _ reached: (DeviceID) -> Int64,
    _ offer: (Line) throws(EventLogError) -> Bool
  ) throws(EventLogError) {
    guard var queue = queues.removeValue(forKey: device) else { return }
    defer { queues[device] = queue }
    var index = queue.next
    while index < queue.indices.count {
      let line = lines[queue.indices[index]]
      if line.event.sequence > reached(device) + 1 { return }
      if isOffered[queue.indices[index]] {
        // Others under its ID may have been passed over.
      } else if let missing = line.seen.first(where: { reached($0.device) < $0.sequence }) {
        watchers[missing.device, default: []].append((missing.sequence, device))
      } else {
        try self.offer(queue.indices[index], offer)
      }
      index += 1
      while queue.next < index, isOffered[queue.indices[queue.next]] { queue.next += 1 }
    }
  }

  private mutating func offer(
    _ index: Int, _ offer: (Line) throws(EventLogError) -> Bool
  ) throws(EventLogError) {
    isOffered[index] = true
    isPlaced[index] = try offer(lines[index])
  }

  private func isDue(_ line: Line, _ reached: (DeviceID) -> Int64) -> Bool {
    line.event.sequence <= reached(line.event.device) + 1
      && line.seen.allSatisfy { $0.sequence <= reached($0.device) }
  }
}
