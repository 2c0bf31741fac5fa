/// The clocks of all events read, in the room of what changed: each time a device learned of
/// another's events, how far.
///
/// An event's clock is the accumulation of `seen` along its device, so the last mark at or before
/// the event tells each entry. 16 bytes for each entry of a `seen`: it grows with how often the
/// devices met, not with what they wrote.
package struct ClockHistory: Sendable {
  struct Mark: Sendable {
    /// The device's own event.
    var sequence: Int64
    /// How far it had then seen the other.
    var seen: Int64
  }

  /// `marks[d][x]`: what d learned of x, in order.
  var marks: [Int: [Int: [Mark]]] = [:]

  package init() {}

  package mutating func add(_ device: Int, _ sequence: Int64, sees other: Int, upTo seen: Int64) {
    marks[device, default: [:]][other, default: []].append(
      Mark(sequence: sequence, seen: seen))
  }

  /// The same where one event may learn of another device more than once.
  mutating func raise(_ device: Int, _ sequence: Int64, sees other: Int, upTo seen: Int64) {
    if marks[device]?[other]?.last?.sequence == sequence {
      marks[device]![other]![marks[device]![other]!.count - 1].seen = seen
    } else {
      add(device, sequence, sees: other, upTo: seen)
    }
  }

  /// The clock of event `sequence` of `device`, by device index; its own entry is `sequence`.
  ///
  /// - Complexity: O(devices · log marks).
  package func clock(of device: Int, at sequence: Int64) -> [Int64] {
    let known = marks[device] ?? [:]
    var clock = [Int64](repeating: 0, count: (known.keys.max() ?? -1) + 1)
    for (other, marks) in known {
      var low = 0
      var high = marks.count
      while low < high {
        let middle = (low + high) / 2
        if marks[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
      }
      if low > 0 { clock[other] = marks[low - 1].seen }
    }
    while clock.count <= device { clock.append(0) }
    clock[device] = sequence
    return clock
  }

  /// The first event of `device` that has seen event `sequence` of `other`; nil if there is none.
  ///
  /// - Complexity: O(log marks).
  package func firstEvent(
    of device: Int, thatHasSeen other: Int, from sequence: Int64
  ) -> Int64? {
    guard let marks = marks[device]?[other] else { return nil }
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].seen < sequence { low = middle + 1 } else { high = middle }
    }
    return low < marks.count ? marks[low].sequence : nil
  }
}
