// The contents of a file that a power loss can leave.
//
// The rules are the worst case of real disks and journaling file systems:
// 1. Writes reach the device as pages of 4096 bytes, in any order. Any page may be lost.
// 2. A page may be torn: a device writes whole sectors of 512 bytes, and any subset of them.
// 3. A sector is written from memory in its current state, so it never contains a later write
//    without the earlier ones.
// 4. Sizes change in order: the file has one of its past sizes, or one that it would have had if
//    it had grown page by page. A truncation that is kept drops the bytes after its size.
// 5. Within the size, bytes that didn't reach the device are the previous bytes, or zeros.

import EventLog

extension FileHistory {
  static let pageBytes = 4096
  static let sectorBytes = 512

  /// Returns at most `limit` distinct contents that a power loss now can leave.
  ///
  /// The first has none of the unsynced changes, the second all of them. If all contents without
  /// torn pages fit, they are followed by torn ones up to `limit`. Otherwise, the rest is a sample
  /// that depends on the seed.
  func images(limit: Int, seed: UInt64) -> [[UInt8]] {
    let plan = ImagePlan(self)
    var images = DistinctImages(limit: limit)
    func take(_ choice: ImagePlan.Choice) {
      if !images.isFull { images.insert(plan.image(choice)) }
    }
    take(plan.nothingKept)
    take(plan.everythingKept)
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
