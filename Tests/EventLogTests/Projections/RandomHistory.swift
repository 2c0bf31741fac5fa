import EventLog
import EventLogTesting

/// A random history with events from ``RandomDrafts``.
struct RandomHistory {
  private(set) var history = History(user: "ada")

  /// - Parameters:
  ///   - sizes: the number of events besides the joinings. Before each event, two devices sync with
  ///     a probability of one half.
  init(
    seed: UInt64, devices deviceCounts: ClosedRange<Int> = 2...4,
    sizes: ClosedRange<Int> = 3...24
  ) {
    var generator = SplitMix64(seed: ~seed)
    var drafts = RandomDrafts(seed: seed)
    let names = ["phone", "ipad", "Z", "a.b"].shuffled(using: &generator)
    // A third has imports of one source or two.
    let hasImports = Int.random(in: 0..<3, using: &generator) == 0
    let sources = ["loop", "loop", "bull"].map { ImportSource(name: $0) }
    let devices = names.prefix(Int.random(in: deviceCounts, using: &generator)).map { name in
      let isImport = hasImports && Bool.random(using: &generator)
      let source = isImport ? sources.randomElement(using: &generator) : nil
      let copy = history.copy(name, source: source)
      return history.device(of: copy)
    }
    func pick() -> DeviceID { devices.randomElement(using: &generator)! }
    for _ in 0..<Int.random(in: sizes, using: &generator) {
      if Bool.random(using: &generator) { history.sync(from: pick(), to: pick()) }
      history.append(pick(), drafts.next())
    }
  }

  /// Returns a random history.
  ///
  /// Half of them contain batches, and forks from copied device IDs. No event is missing.
  static func maybeForked(seed: UInt64, sizes: ClosedRange<Int> = 3...24) -> History {
    if seed / 4 % 2 == 0 { return RandomHistory(seed: seed, sizes: sizes).history }
    var habits = HistoryWorld.Habits.copied
    habits.guests = 0
    let steps = sizes.lowerBound...sizes.upperBound * 3 / 2
    return HistoryWorld(seed: seed, habits, steps: steps, drafts: RandomDrafts(seed: seed)).history
  }
}
