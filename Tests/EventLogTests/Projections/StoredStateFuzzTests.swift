import EventLogTesting
import Testing

@testable import EventLog

/// A checkpoint with a valid checksum and random content is refused, or its state never traps.
@Suite(.tags(.random)) struct StoredStateFuzzTests {
  @Test func `a state from a corrupted checkpoint never traps`() throws {
    let files = try StoredReading()
    var accepted = 0
    var refused = 0
    for seed in RandomRounds(20, atLeast: 5) {
      var random = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed, sizes: 10...60)
      let lines = history.lines(order: seed)
      let cut = Int.random(in: 1...lines.count, using: &random)
      try files.put(lines[..<cut])
      let checkpoint = StoredReading.checkpoint(of: try files.read())
      try files.put(lines)
      for _ in 0..<50 {
        let tampered = random.tampered(checkpoint)
        guard let restored = try? files.restored(tampered) else {
          refused += 1
          continue
        }
        accepted += 1
        try use(restored, lines[cut...], files)
      }
    }
    #expect(accepted > 20)
    #expect(refused > Rounds.of(200))
  }

  /// Uses every operation on a state.
  private func use(
    _ restored: StoredReading.Stopped, _ lines: ArraySlice<[UInt8]>, _ files: StoredReading
  ) throws {
    var reading = HistoryReading(restored.pass)
    for line in lines { reading.read(line) }
    let further = RandomHistory(seed: UInt64(lines.count), sizes: 5...20).history
    for line in further.lines { reading.read(line) }
    let snapshot = Snapshot(
      fold: reading.pass.sink, ledger: reading.pass.ledger, damage: [], bases: restored.bases)
    _ = snapshot.json()
    _ = snapshot.report
    _ = snapshot.conflicts
    _ = snapshot.frontier
    var later = restored
    later.pass = reading.pass
    // Bases of conflicts are read from the journal, with names and cuts of this state.
    later.pass.endOffset = 0
    later = try files.read(resuming: later)
    _ = try? files.restored(StoredReading.checkpoint(of: later))
    let ledger = later.pass.ledger
    _ = later.pass.report
    _ = ledger.unstated(after: nil)
    for tip in ledger.tips { _ = ledger.unstated(after: tip) }
    for device in ledger.devices.indices {
      _ = Timestamp(trusted: ledger.lastAt(of: device)).description
    }
  }
}

extension SplitMix64 {
  /// The checkpoint with one to four changes in its parts.
  fileprivate mutating func tampered(_ checkpoint: Checkpoint) -> Checkpoint {
    var checkpoint = checkpoint
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let name = checkpoint.parts.keys.sorted().randomElement(using: &self)!
      var bytes = Array(checkpoint.parts[name]!)
      if bytes.isEmpty { continue }
      let index = Int.random(in: 0..<bytes.count, using: &self)
      let other = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<10, using: &self) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 2: bytes[index] &+= 1
      case 3: bytes[index] &-= 1
      case 4: bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &self)!
      case 5: bytes.swapAt(index, other)
      case 6: bytes.removeSubrange(index..<Swift.min(bytes.count, index + 8))
      case 7: bytes.insert(contentsOf: bytes[index..<Swift.min(bytes.count, index + 8)], at: other)
      case 8: for later in index..<Swift.min(bytes.count, index + 8) { bytes[later] = 0xFF }
      default: for later in index..<Swift.min(bytes.count, index + 8) { bytes[later] = 0 }
      }
      checkpoint.parts[name] = bytes[...]
    }
    return checkpoint
  }
}
