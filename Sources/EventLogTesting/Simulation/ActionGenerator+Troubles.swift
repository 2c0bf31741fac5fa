import EventLog

extension ActionGenerator {
  /// A kind of trouble that only some runs have.
  enum Trouble: Int, Comparable, CaseIterable {
    /// Devices are copied, restored and truncated.
    case pasts
    case damage
    case crashes
    case badPeers

    static func < (left: Trouble, right: Trouble) -> Bool { left.rawValue < right.rawValue }

    /// Returns the troubles of a run, which must converge without extra syncs if there are none.
    static func some(using random: inout SplitMix64) -> Set<Trouble> {
      func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
      var troubles: Set<Trouble> = []
      if !oneIn(5) {
        if oneIn(2) { troubles.insert(.pasts) }
        if oneIn(2) { troubles.insert(.damage) }
        if oneIn(4) { troubles.insert(.crashes) }
        if oneIn(4) { troubles.insert(.badPeers) }
      }
      return troubles
    }
  }

  mutating func action(of trouble: Trouble, _ device: Int) -> SimulatedAction {
    switch trouble {
    case .pasts: return past(device)
    case .damage: return damage(device)
    case .crashes:
      let count = Int.random(in: 0..<40, using: &random)
      if chance(2) {
        return .crash(device: device, .sync(peer(besides: device)), afterChanges: count)
      }
      let drafts = (0..<Int.random(in: 1...4, using: &random)).map { _ in draft() }
      let byteCount = Int.random(in: 1..<600, using: &random)
      return .crash(
        device: device, .append(drafts, byteCount: byteCount), afterChanges: count % 12)
    case .badPeers:
      let other = Int.random(in: 0..<liveCount, using: &random)
      let peer = BadPeer.allCases.randomElement(using: &random)!
      return .syncWithBadPeer(device: device, other: other, peer)
    }
  }

  private mutating func peer(besides device: Int) -> SimulatedAction.Peer {
    let other = Int.random(in: 0..<liveCount, using: &random)
    if other != device, chance(2) { return .device(other) }
    return SimulatedAction.Peer.shared.randomElement(using: &random)!
  }

  private mutating func damage(_ device: Int) -> SimulatedAction {
    if chance(8) { return .acceptLoss(device: device) }
    let line = Int.random(in: 0..<1_000, using: &random)
    let damage: SimulatedAction.Damage
    switch Int.random(in: 0..<6, using: &random) {
    case 0...2:
      let byte = chance(4) ? 1000 : Int.random(in: 0..<1000, using: &random)
      damage = .flippedBit(line: line, byte: byte, bit: Int.random(in: 0..<8, using: &random))
    case 3, 4:
      damage = .linesCutOut(
        line: line, count: chance(2) ? 1 : Int.random(in: 2...4, using: &random))
    default:
      damage = .zeroedBytes(line: line, count: Int.random(in: 1...600, using: &random))
    }
    return .damage(device: device, damage, isOpen: chance(4))
  }

  /// Returns an action that copies a device, rolls it back or reorders its lines.
  private mutating func past(_ device: Int) -> SimulatedAction {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      guard liveCount < min(deviceCount + 3, SimulatedAction.deviceNames.count) else { fallthrough }
      liveCount += 1
      let copying =
        chance(2) ? .wholeMachine : DeviceCopying.allCases.randomElement(using: &random)!
      return .copy(device: device, as: liveCount - 1, copying)
    case 2: return .backUp(device: device)
    case 3, 4:
      // Half the time, choose a restore that the device can't detect.
      if chance(2) { return .restore(device: device, .allRolledBack, isOpen: false) }
      return .restore(
        device: device, DeviceRestoring.allCases.randomElement(using: &random)!, isOpen: chance(2))
    case 5: return .reorder(device: device, seed: random.next())
    default:
      return .cutOff(device: device, lineCount: Int.random(in: 1...5, using: &random))
    }
  }
}
