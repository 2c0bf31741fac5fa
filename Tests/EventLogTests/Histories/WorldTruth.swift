import EventLog
import EventLogTesting

/// The truth about the events of a world, compared with a reading of some of their lines.
///
/// Events are numbered by their index in the entries of the history.
struct WorldTruth {
  private let history: History
  let reading: ReferenceHistories
  /// The events that count for the reading.
  let shown: NumberSet
  /// For each event, its device's true history up to and including it.
  private let pasts: [NumberSet]
  /// For each event, the indices of the events that its line lists as seen.
  private let seen: [[Int]]
  /// For each number of the reading, its index; nil for a missing event of generated lines.
  private let indices: [Int?]

  /// - Parameter lines: the lines to read, as in a journal of `user`.
  init(_ history: History, _ lines: [ReferenceLine], user: String = "ada") {
    let reading = ReferenceHistories(lines, user: user)
    self.history = history
    self.reading = reading
    var pasts: [NumberSet] = []
    for (index, entry) in history.entries.enumerated() {
      var past = entry.event.previous.map { pasts[history.index(of: $0)!] } ?? NumberSet()
      past.insert(index)
      pasts.append(past)
    }
    self.pasts = pasts
    seen = history.entries.map { $0.event.seen.map { history.index(of: $0)! } }
    indices = reading.ids.map { history.index(of: $0) }
    shown = NumberSet(reading.shown.numbers.map { history.index(of: reading.ids[$0])! })
  }

  var entries: [History.Entry] { history.entries }

  /// The events that `event` has seen, according to the lines of its own history in `held`.
  func stated(by event: Int, among held: NumberSet) -> NumberSet {
    var clock = pasts[event]
    for step in pasts[event].intersection(held).numbers {
      for entry in seen[step] { clock.formUnion(pasts[entry]) }
    }
    return clock
  }

  /// The events that `event` has seen according to the reading, if they count.
  func clock(of event: Int) -> NumberSet {
    let number = reading.number(entries[event].fullID)!
    return NumberSet(reading.clock(of: number).numbers.compactMap { indices[$0] })
      .intersection(shown)
  }

  /// The missing events that the reading presumes to follow another event than the last known one
  /// of their true history.
  var misplaced: [FullEventID] {
    reading.missing.filter { missing in
      let number = reading.number(missing)!
      let index = indices[number]!
      let known = NumberSet(indices.compactMap { $0 })
      var before = pasts[index].intersection(known)
      before.remove(index)
      let last = before.numbers.max { entries[$0].id.sequence < entries[$1].id.sequence }
      return reading.parents[number].map { indices[$0]! } != last
    }
  }

  /// Whether the writer of an event presumed the position of a missing event wrongly.
  ///
  /// Then it may not have listed events that it held.
  func wasMisled(_ event: Int) -> Bool {
    let lines = entries[event].held.numbers.map { entries[$0].event }
    return !WorldTruth(history, lines, user: entries[event].user).misplaced.isEmpty
  }

  /// Whether a device has several histories, held or not.
  func isForked(_ device: DeviceID) -> Bool {
    let sequences = entries.map(\.id).filter { $0.device == device }.map(\.sequence)
    return Set(sequences).count < sequences.count
  }
}
