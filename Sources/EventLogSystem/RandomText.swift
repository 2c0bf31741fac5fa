import Synchronization

/// A source for the random part of names: of device IDs, entity keys, temporary files.
///
/// Its characters are `a–z` and `2–7`, five bits each: eight characters have 40 bits.
package struct RandomText: Sendable {
  private let make: @Sendable (Int) -> String
  private var salts: SaltPool?

  /// Creates a source from a function that returns a given number of characters of `a–z 2–7`.
  ///
  /// It is called on any thread, even concurrently.
  package init(_ make: @escaping @Sendable (Int) -> String) {
    self.make = make
  }

  /// Returns the next `count` characters.
  package func next(_ count: Int) -> String {
    make(count)
  }

  /// Returns the next `count` characters for a salt, which can't be predicted.
  ///
  /// Unlike for names, the system's randomness is read for up to 32 salts at once. So two copies of
  /// a running virtual machine may use the same ones.
  package func salt(_ count: Int) -> String {
    salts?.next(count) ?? make(count)
  }

  /// The operating system's randomness.
  package static let system = {
    var system = RandomText { count in
      var generator = SystemRandomNumberGenerator()
      return text(count, from: &generator)
    }
    system.salts = SaltPool()
    return system
  }()

  /// Creates a source that returns the same texts for the same seed, for tests.
  ///
  /// Copies share one sequence.
  package static func seeded(_ seed: UInt64) -> RandomText {
    let source = SeededSource(seed: seed)
    return RandomText { count in
      source.generator.withLock { text(count, from: &$0) }
    }
  }

  fileprivate static func text(
    _ count: Int, from generator: inout some RandomNumberGenerator
  ) -> String {
    let alphabet: StaticString = "abcdefghijklmnopqrstuvwxyz234567"
    return String(unsafeUninitializedCapacity: count) { buffer in
      var bits: UInt64 = 0
      for index in 0..<count {
        // The system's generator makes a system call for each number, which has bits for twelve.
        bits = index.isMultiple(of: 12) ? generator.next() : bits << 5
        buffer.initializeElement(at: index, to: alphabet.utf8Start[Int(bits >> 59)])
      }
      return count
    }
  }
}

/// The system's random numbers that were read but not used yet.
private final class SaltPool: Sendable {
  private let numbers = Mutex(PooledNumbers())

  func next(_ count: Int) -> String {
    numbers.withLock { RandomText.text(count, from: &$0) }
  }
}

private struct PooledNumbers: RandomNumberGenerator {
  private var unused: [UInt64] = []
  /// ``systemForkCount()`` when the numbers were read. After a fork, both processes have them.
  private var forkCount: Int?

  mutating func next() -> UInt64 {
    // Not `getpid()`, which is a system call.
    let current = systemForkCount()
    if unused.isEmpty || current == nil || forkCount != current {
      (unused, forkCount) = (systemRandomNumbers(), current)
    }
    return unused.removeLast()
  }
}

/// The state that the copies of a seeded source share.
private final class SeededSource: Sendable {
  let generator: Mutex<SplitMix64>

  init(seed: UInt64) {
    generator = Mutex(SplitMix64(seed: seed))
  }
}

extension RandomText {
  /// A random number in `0..<1`.
  package func fraction() -> Double {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    let value = next(8).utf8.reduce(0) { $0 * 32 + (alphabet.firstIndex(of: $1) ?? 0) }
    return Double(value) / Double(1 << 40)
  }
}
