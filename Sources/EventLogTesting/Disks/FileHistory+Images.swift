// From a history to the contents that a power loss can leave.
//
// The rules, each what real disks and journaling file systems do at their worst:
// 1. Writes reach the device as pages of 4096 bytes, each or not, in any order.
// 2. A page may be torn: a device writes whole sectors of 512 bytes, and any of them.
// 3. A sector is written from memory as it stands then, so it never holds a later write without
//    the earlier ones.
// 4. Sizes change in order: the file has one of the sizes that it had, or would have had page by
//    page; a truncation that is kept drops what stood behind it.
// 5. Within the size, what did not reach the device is what was there before, or zeros.

import EventLog

extension FileHistory {
  static let pageBytes = 4096
  static let sectorBytes = 512

  /// Returns different contents that a power loss now can leave, at most `limit`.
  ///
  /// The first is the file without any unsynced change, the second with all of them. If all
  /// without torn pages fit, all are given, then torn ones as far as `limit` allows; else a sample
  /// that depends on the seed.
  func images(limit: Int, seed: UInt64) -> [[UInt8]] {
    let plan = ImagePlan(self)
    var images = DistinctImages(limit: limit)
    func take(_ choice: ImagePlan.Choice) {
      if !images.isFull { images.insert(plan.image(choice)) }
    }
    take(plan.nothing)
    take(plan.everything)
    if plan.freePieceCount < 20, plan.wholeChoiceCount <= limit {
      for number in 0..<plan.wholeChoiceCount { take(plan.wholeChoice(number)) }
      if !plan.canTear { return images.all }
    }
    var generator = SplitMix64(seed: seed)
    var failuresLeft = 100
    while !images.isFull, failuresLeft > 0 {
      let isNew = images.insert(plan.image(plan.randomChoice(from: &generator)))
      failuresLeft = isNew ? 100 : failuresLeft - 1
    }
    return images.all
  }
}
