import Testing

@testable import EventLog

@Suite struct IndexTableTests {
  private struct Key: Hashable {
    var first: Int32
    var second: Int32
  }

  @Test func `an entry inserted into one copy never shows in another`() throws {
    let numbers: [Int32] = [-1, .min, .max] + Array(0..<40)
    for seed in RandomRounds(40) {
      var copies = PagedCopies(IndexTable(), [Key: Int32](), seed: seed)
      for step in 0..<600 {
        copies.step { table, model, random in
          if random.once(in: 80) { table.paginate() }
          let key = Key(
            first: numbers.randomElement(using: &random)!,
            second: numbers.randomElement(using: &random)!)
          #expect(table.find(key.first, key.second) == model[key] ?? -1)
          guard model[key] == nil else { return }
          table.insert(key.first, key.second, Int32(step))
          model[key] = Int32(step)
        }
      }
      for (table, model) in copies.all {
        for first in numbers {
          for second in numbers {
            let found = table.find(first, second)
            let isSame = found == model[Key(first: first, second: second)] ?? -1
            try #require(isSame, "EVENTLOG_SEED=\(seed)")
          }
        }
      }
    }
  }
}
