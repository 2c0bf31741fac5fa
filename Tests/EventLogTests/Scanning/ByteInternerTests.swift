import Testing

@testable import EventLog

@Suite struct ByteInternerTests {
  @Test func `strings are numbered in order of first appearance and keep their numbers`() {
    var interner = ByteInterner()
    #expect(interner.count == 0)
    #expect(interner.find("phone") == nil)
    #expect(interner.intern("phone") == 0)
    #expect(interner.intern("tablet") == 1)
    #expect(interner.intern("phone") == 0)
    #expect(interner.intern("") == 2)
    #expect(interner.find("") == 2)
    #expect(interner.count == 3)
    #expect(interner.text(1) == "tablet")
    #expect(Array(interner.bytes(2)) == [])
  }

  @Test func `strings are compared by bytes, not by Unicode equivalence`() {
    var interner = ByteInterner()
    #expect(interner.intern("\u{E9}") == 0)
    #expect(interner.intern("e\u{301}") == 1)
    #expect(interner.intern([0xFF]) == 2)
    #expect(interner.intern([0xFF, 0x00]) == 3)
    #expect(interner.find([0xFF, 0x00, 0x00]) == nil)
  }

  @Test func `ten thousand strings of all lengths keep their numbers`() {
    var interner = ByteInterner()
    var expected: [[UInt8]] = []
    for index in 0..<10_000 {
      let text = String(repeating: "x", count: index % 40) + String(index)
      expected.append(Array(text.utf8))
      if interner.intern(expected[index]) != index { Issue.record("\(index) is not new") }
    }
    for (index, bytes) in expected.enumerated() {
      if interner.find(bytes) != index || Array(interner.bytes(index)) != bytes {
        Issue.record("\(index) is lost")
      }
    }
    #expect(interner.count == expected.count)
  }

  @Test func `a range of a longer buffer is interned, found and compared in place`() {
    var interner = ByteInterner()
    let line = Array("device phone and phone2".utf8)
    let first = ByteRange(7, 12)
    let longer = ByteRange(17, 23)
    func find(_ range: ByteRange) -> Int? { interner.find(line.span, range) }
    func isEntry(_ index: Int, _ range: ByteRange) -> Bool {
      interner.isEntry(index, line.span, range)
    }
    #expect(find(first) == nil)
    let numbers = [first, longer, ByteRange(5, 5)].map { interner.intern(line.span, $0) }
    #expect(numbers == [0, 1, 2])
    #expect(find(ByteRange(17, 22)) == 0)
    #expect(isEntry(0, ByteRange(17, 22)))
    #expect(!isEntry(0, longer))
    #expect(!isEntry(1, first))
    #expect(isEntry(2, ByteRange(6, 6)))
  }

  @Test func `an entry added to one copy never shows in another`() throws {
    for seed in RandomRounds(40) {
      var copies = PagedCopies(ByteInterner(), [[UInt8]](), seed: seed)
      for _ in 0..<400 {
        copies.step { interner, model, random in
          if random.once(in: 60) { interner.paginate() }
          let bytes = random.bytes(max: random.once(in: 20) ? 9000 : 60)
          let known = model.firstIndex(of: bytes)
          #expect(interner.find(bytes) == known)
          #expect(interner.intern(bytes) == known ?? model.count)
          if known == nil { model.append(bytes) }
        }
      }
      for (interner, model) in copies.all {
        let isSame = model.indices.allSatisfy {
          Array(interner.bytes($0)) == model[$0] && interner.find(model[$0]) == $0
        }
        try #require(isSame && interner.count == model.count, "EVENTLOG_SEED=\(seed)")
      }
    }
  }
}
