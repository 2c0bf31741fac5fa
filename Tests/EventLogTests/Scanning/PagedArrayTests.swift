import Testing

@testable import EventLog

@Suite struct PagedArrayTests {
  private static func elements(_ array: PagedArray<Int>) -> [Int] {
    var found: [Int] = []
    array.forEachPage { found += $0 }
    return found
  }

  private static func agrees(_ array: PagedArray<Int>, _ model: [Int]) -> Bool {
    array.count == model.count && array.isEmpty == model.isEmpty && array.last == model.last
      && array.indices == model.indices && elements(array) == model
      && array.indices.allSatisfy { array[$0] == model[$0] } && array.elements == model
  }

  @Test func `a write to one copy never changes another`() throws {
    for seed in RandomRounds(60) {
      let first = seed % 2 == 0 ? [] : Array(0..<Int(seed % 2000))
      var copies = PagedCopies(PagedArray(flat: first), first, seed: seed)
      for step in 0..<200 {
        copies.step { array, model, random in
          switch Int.random(in: 0..<6, using: &random) {
          case 0:
            for offset in 0..<Int.random(in: 1...700, using: &random) {
              array.append(step + offset)
              model.append(step + offset)
            }
          case 1:
            for _ in 0..<Int.random(in: 1...600, using: &random) {
              #expect(array.popLast() == model.popLast())
            }
          case 2 where random.once(in: 4): array.paginate()
          default:
            guard let index = model.indices.randomElement(using: &random) else { return }
            if random.once(in: 2) {
              array[index] = -step
              model[index] = -step
            } else {
              array.update(index) { $0 += step }
              model[index] += step
            }
          }
        }
      }
      for (array, model) in copies.all {
        try #require(Self.agrees(array, model), "EVENTLOG_SEED=\(seed)")
      }
    }
  }

  @Test(arguments: [0, 1, 511, 512, 513, 1 << 18, 1 << 18 + 1])
  func `elements at the boundaries of pages and folders are kept`(_ count: Int) {
    let model = Array(0..<count)
    var flat = PagedArray<Int>()
    for element in model { flat.append(element) }
    for start in [flat, PagedArray(model), PagedArray(flat: model)] {
      var array = start
      array.paginate()
      #expect(array.isPaginated)
      #expect(Self.elements(array) == model)
      let before = array
      array.append(-1)
      #expect(array[count] == -1)
      #expect(array.popLast() == -1)
      #expect(array.popLast() == model.last)
      if count > 0 { array.append(count - 1) }
      #expect(Self.elements(array) == model)
      #expect(Self.elements(before) == model)
    }
    for isPaginated in [false, true] {
      let same = PagedArray(repeating: 7, count: count, isPaginated: isPaginated)
      #expect(same.isPaginated == isPaginated)
      #expect(Self.elements(same) == [Int](repeating: 7, count: count))
    }
  }
}
