import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct RandomTextTests {
  static let alphabet = Set("abcdefghijklmnopqrstuvwxyz234567")

  @Test(arguments: [RandomText.system, .seeded(1)])
  func `random text contains all of a-z and 2-7, and no other characters`(source: RandomText) {
    let text = source.next(10_000)
    #expect(text.utf8.count == 10_000)
    #expect(Set(text) == Self.alphabet)
    #expect(source.next(0) == "")
  }

  @Test func `a seed always produces the same sequence of texts`() {
    let first = RandomText.seeded(42)
    let second = RandomText.seeded(42)
    let texts = (0..<5).map { _ in first.next(8) }
    #expect(texts == (0..<5).map { _ in second.next(8) })
    #expect(Set(texts).count == 5)
    #expect(RandomText.seeded(43).next(8) != texts[0])
  }

  @Test func `the system's random texts differ`() {
    #expect(RandomText.system.next(20) != RandomText.system.next(20))
  }

  @Test(arguments: [RandomText.system, .seeded(1)])
  func `salts have the same characters and differ, also between threads`(
    source: RandomText
  ) async {
    let salts = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<4 { group.addTask { (0..<100).map { _ in source.salt(12) } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(salts).count == 400)
    #expect(salts.allSatisfy { $0.utf8.count == 12 && Self.alphabet.isSuperset(of: $0) })
  }

  @Test func `the generator is SplitMix64`() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }
}
