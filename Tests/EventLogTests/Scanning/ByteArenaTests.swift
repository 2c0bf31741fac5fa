import Testing

@testable import EventLog

@Suite struct ByteArenaTests {
  @Test func `stored strings round-trip, including the empty one`() {
    var arena = ByteArena()
    let slots = (0..<200).map { arena.store([UInt8](repeating: UInt8($0), count: $0)) }
    for (count, slot) in slots.enumerated() {
      #expect(Array(arena.bytes(slot)) == [UInt8](repeating: UInt8(count), count: count))
    }
    #expect(slots[0] == .empty)
  }

  @Test func `a replacement of similar size reuses its slot`() {
    var arena = ByteArena()
    let first = arena.store(Array("seventeen bytes !".utf8))
    let other = Array("x a string of 20 bytes".utf8)
    let second = arena.replace(first, with: other.span, ByteRange(2, 22))
    #expect(Array(arena.bytes(second)) == Array(other[2...]))
    #expect(second != first)
    let third = arena.replace(second, with: Array("seventeen bytes !".utf8).span, ByteRange(0, 17))
    #expect(third == first)
  }

  @Test func `a released slot is reused`() {
    var arena = ByteArena()
    let first = arena.store([UInt8](repeating: 1, count: 40))
    _ = arena.store([2])
    arena.release(first)
    #expect(arena.store([UInt8](repeating: 3, count: 40)) == first)
  }

  /// Compares with an array of arrays, over thousands of stores, replacements and releases.
  @Test func `a write to one slot never changes the bytes of another`() {
    var random = FormatRandom.generator("ByteArena")
    var arena = ByteArena()
    var held: [(slot: ByteArena.Slot, bytes: [UInt8])] = []
    for _ in 0..<Rounds.of(3000) {
      let count = Int.random(in: 0...1 << Int.random(in: 0...9, using: &random), using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let index = held.indices.randomElement(using: &random)
      switch (Int.random(in: 0..<4, using: &random), index) {
      case (0, let index?):
        arena.release(held.remove(at: index).slot)
      case (1, let index?):
        let slot = arena.replace(held[index].slot, with: bytes.span, ByteRange(0, count))
        held[index] = (slot, bytes)
      default:
        held.append((arena.store(bytes), bytes))
      }
    }
    for entry in held where Array(arena.bytes(entry.slot)) != entry.bytes {
      Issue.record("\(entry.slot) changed")
    }
    #expect(!held.isEmpty)
  }

  /// Copies are made at random times.
  @Test func `a write to one copy never changes another`() throws {
    for seed in RandomRounds(40) {
      var copies = PagedCopies(ByteArena(), [(slot: ByteArena.Slot, bytes: [UInt8])](), seed: seed)
      for _ in 0..<400 {
        copies.step { arena, held, random in
          let bytes = random.bytes(max: random.once(in: 20) ? 40_000 : 3000)
          let index = held.indices.randomElement(using: &random)
          switch (Int.random(in: 0..<8, using: &random), index) {
          case (0, let index?): arena.release(held.remove(at: index).slot)
          case (1...3, let index?):
            let range = ByteRange(0, bytes.count)
            held[index] = (arena.replace(held[index].slot, with: bytes.span, range), bytes)
          case (4, _) where random.once(in: 8): arena.paginate()
          default: held.append((arena.store(bytes), bytes))
          }
        }
      }
      for (arena, held) in copies.all {
        try #require(
          held.allSatisfy { Array(arena.bytes($0.slot)) == $0.bytes }, "EVENTLOG_SEED=\(seed)")
      }
    }
  }

  @Test func `a string replaced by an empty one releases its slot`() {
    var arena = ByteArena()
    let first = arena.store([1, 2, 3])
    #expect(arena.replace(first, with: [UInt8]().span, ByteRange(0, 0)) == .empty)
    #expect(arena.store([4]).cell == first.cell)
  }
}
