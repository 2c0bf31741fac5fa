import EventLog

/// Values and their models, copied and changed independently.
///
/// A change to one copy, flat or paginated, must not show in another.
struct PagedCopies<Value, Model> {
  private(set) var all: [(value: Value, model: Model)]
  var random: SplitMix64
  private static var countMax: Int { 6 }

  init(_ value: Value, _ model: Model, seed: UInt64) {
    all = [(value, model)]
    random = SplitMix64(seed: seed)
  }

  /// Changes a random copy, sometimes after duplicating it.
  mutating func step(
    _ change: (inout Value, inout Model, inout SplitMix64) throws -> Void
  ) rethrows {
    // Removed from the array, so that an unshared value is changed in place.
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
  /// Returns true with probability 1 / `count`.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// Returns random bytes: usually few, sometimes up to `max`.
  mutating func bytes(max: Int) -> [UInt8] {
    let limit = once(in: 40) ? max : Swift.min(max, 40)
    return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
      UInt8.random(in: 0...3, using: &self)
    }
  }
}
