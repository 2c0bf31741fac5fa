import EventLog

extension ActionGenerator {
  /// Something that happens at a place that devices share.
  mutating func sharedPlaceAction(_ device: Int) -> SharedPlaceAction {
    let place = SharedPlaceAction.Place.allCases.randomElement(using: &random)!
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4: return .sync(device: device, with: place, objectMishap())
    case 5:
      let step = Int.random(in: 1...4, using: &random)
      return .syncWhileWriting(device: device, with: place, [draft()], afterStep: step)
    case 6:
      let other = Int.random(in: 0..<deviceCount, using: &random)
      if other == device { return .sync(device: device, with: place, .none) }
      return .syncAtOnce(device: device, other: other, with: place)
    case 7:
      let count = Int.random(in: 0..<80, using: &random)
      return .crash(device: device, with: place, afterCalls: count)
    default: return .deliver(seed: random.next())
    }
  }

  private mutating func objectMishap() -> SharedPlaceAction.Mishap {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: .late(seed: random.next())
    case 2: .halved(seed: random.next())
    case 3: .vanishing(seed: random.next())
    case 4: .doubled(seed: random.next())
    case 5: .unreachable(afterCalls: Int.random(in: 0..<30, using: &random))
    default: .none
    }
  }
}
