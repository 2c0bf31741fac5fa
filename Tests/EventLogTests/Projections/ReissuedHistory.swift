import EventLog
import EventLogTesting

extension RandomHistory {
  /// Of half of the histories what was written, of the others what became of it when it was issued
  /// again, now and then with a past that is not quite the same.
  static func maybeReissued(seed: UInt64, sizes: ClosedRange<Int> = 3...24) -> History {
    seed / 4 % 2 == 0
      ? RandomHistory(seed: seed, sizes: sizes).history
      : reissued(seed: seed, sizes: sizes, forgetting: seed / 8 % 3 == 0 ? 20 : 0)
  }

  /// The history after the ends of one or two of its devices were issued again, by one to three who
  /// did not know of each other: one longer than the other, one beginning later than the other.
  static func reissued(
    seed: UInt64, sizes: ClosedRange<Int> = 3...30, forgetting percent: Int = 0
  ) -> History {
    var generator = SplitMix64(seed: seed ^ 0x9E37_79B9_7F4A_7C15)
    let history = RandomHistory(seed: seed, sizes: sizes).history
    let lasts = history.entries.reduce(into: [DeviceID: Int64]()) { lasts, entry in
      lasts[entry.id.device] = entry.id.sequence
    }
    let devices = lasts.keys.filter { lasts[$0]! > 1 }.sorted().shuffled(using: &generator)
    var runs: [ReissuedRun] = []
    for device in devices.prefix(Int.random(in: 1...2, using: &generator)) {
      let last = lasts[device]!
      let first = Int64.random(in: 2...last, using: &generator)
      let name = device.text.dropLast(9)
      for letter in ["0", "m", "~"].prefix(Int.random(in: 1...3, using: &generator)) {
        let start =
          runs.contains { $0.device == device }
          ? Int64.random(in: first...last, using: &generator) : first
        // The first run holds all, so that the others may end anywhere.
        let end =
          start == first && !runs.contains { $0.device == device }
          ? last : Int64.random(in: start...last, using: &generator)
        let prefix = letter == "~" ? "_" : letter
        runs.append(ReissuedRun(device, as: "\(prefix)\(name)", start...end))
      }
    }
    return history.reissued(runs, forgetting: percent, using: &generator)
  }
}
