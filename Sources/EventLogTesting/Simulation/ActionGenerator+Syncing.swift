import EventLog

extension ActionGenerator {
  /// The pattern of syncs between devices.
  enum Topology: CaseIterable {
    case random, star, chain, ring, folder
  }

  mutating func sync(_ device: Int, _ topology: Topology, _ silent: Int) -> SimulatedAction {
    var other = Int.random(in: 0..<liveCount, using: &random)
    switch topology {
    case .random, .folder: break
    case .star: if device != 0 { other = 0 }
    case .chain: other = min(device + 1, liveCount - 1)
    case .ring: other = (device + 1) % liveCount
    }
    if device == silent || other == silent { return .look(device: device) }
    var peer = SimulatedAction.Peer.shared.randomElement(using: &random)!
    if topology != .folder, !chance(4), other != device { peer = .device(other) }
    if chance(8), other != device {
      let another = chance(2) ? peer : .device(device)
      return .syncAtOnce(device: device, with: peer, other: other, and: another)
    }
    if chance(8) { return .deliver(seed: random.next()) }
    let ways: [ReplicationPlan.Directions] = [.both, .both, .both, .pull, .push]
    return .sync(device: device, with: peer, ways.randomElement(using: &random)!, mishap(peer))
  }

  private mutating func mishap(_ peer: SimulatedAction.Peer) -> SimulatedAction.Mishap {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .abandoned(after: Int.random(in: 1...3, using: &random))
    case 1: return .writing([draft()], afterStep: Int.random(in: 1...4, using: &random))
    case 2...4:
      if case .device = peer { return .lines(lineMishap()) }
      return .objects(objectMishap())
    default: return .none
    }
  }

  private mutating func lineMishap() -> SimulatedAction.LineMishap {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .doubled
    case 1: .reordered(seed: random.next())
    default: .truncated(Int.random(in: 0...999, using: &random))
    }
  }

  private mutating func objectMishap() -> SimulatedAction.ObjectMishap {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: .late(seed: random.next())
    case 2: .halved(seed: random.next())
    case 3: .vanishing(seed: random.next())
    case 4: .doubled(seed: random.next())
    default: .unreachable(afterCalls: Int.random(in: 0..<30, using: &random))
    }
  }
}
