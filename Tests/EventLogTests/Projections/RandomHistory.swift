import EventLog
import EventLogTesting

/// Histories of ``RandomDrafts``.
struct RandomHistory {
  private(set) var history = History(user: "ada")

  /// - Parameters:
  ///   - sizes: how many events there are besides the joinings; the chance of a sync of two
  ///     devices before each event is one half.
  init(
    seed: UInt64, devices deviceCounts: ClosedRange<Int> = 2...4,
    sizes: ClosedRange<Int> = 3...24
  ) {
    var generator = SplitMix64(seed: ~seed)
    var drafts = RandomDrafts(seed: seed)
    let names = ["phone", "ipad", "Z", "a.b"].shuffled(using: &generator)
    let devices = names.prefix(Int.random(in: deviceCounts, using: &generator)).map {
      history.device($0)
    }
    func pick() -> DeviceID { devices.randomElement(using: &generator)! }
    for _ in 0..<Int.random(in: sizes, using: &generator) {
      if Bool.random(using: &generator) { history.sync(from: pick(), to: pick()) }
      history.append(pick(), drafts.next())
    }
  }

  /// Half of the histories as above; the others with device IDs that were copied, so that they have
  /// several histories, and with batches. Nothing is missing in any.
  static func maybeForked(seed: UInt64, sizes: ClosedRange<Int> = 3...24) -> History {
    if seed / 4 % 2 == 0 { return RandomHistory(seed: seed, sizes: sizes).history }
    var habits = HistoryWorld.Habits.copied
    habits.guests = 0
    let steps = sizes.lowerBound...sizes.upperBound * 3 / 2
    return HistoryWorld(seed: seed, habits, steps: steps, drafts: RandomDrafts(seed: seed)).history
  }
}
