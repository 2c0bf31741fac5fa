import EventLog

/// Values beside the models they must agree with, copied and changed apart.
///
/// Whatever is done to one copy, in flat or in paginated form, no other may notice.
struct PagedCopies<Value, Model> {
  private(set) var all: [(value: Value, model: Model)]
  var random: SplitMix64
  private static var countMax: Int { 6 }

  init(_ value: Value, _ model: Model, seed: UInt64) {
    all = [(value, model)]
    random = SplitMix64(seed: seed)
  }

  /// Changes a copy at random, and now and then makes one more of it first.
  mutating func step(
    _ change: (inout Value, inout Model, inout SplitMix64) throws -> Void
  ) rethrows {
    // Taken out, so that it is changed in place wherever no copy shares it.
    var chosen = all.remove(at: Int.random(in: 0..<all.count, using: &random))
    if random.once(in: 12) {
      if all.count == Self.countMax { all.removeFirst() }
      all.append(chosen)
    }
    try change(&chosen.value, &chosen.model, &random)
    all.append(chosen)
  }
}

extension SplitMix64 {
  /// True once in `count` times.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Random bytes; few, but now and then many.
  mutating func bytes(max: Int) -> [UInt8] {
    let limit = once(in: 40) ? max : Swift.min(max, 40)
    return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
      UInt8.random(in: 0...3, using: &self)
    }
  }
}
