import Testing

@testable import EventLog

@Suite struct CatalogMemoTests {
  private struct First: Equatable { let number: Int }
  private struct Second: Equatable { let number: Int }

  @Test func `a value is created once for each type`() {
    let memo = CatalogMemo()
    #expect(memo.value { First(number: 1) } == First(number: 1))
    #expect(memo.value { Second(number: 2) } == Second(number: 2))
    #expect(memo.value { First(number: 3) } == First(number: 1))
    #expect(memo.value { Second(number: 4) } == Second(number: 2))
    #expect(CatalogMemo().value { First(number: 5) } == First(number: 5))
  }

  @Test func `concurrent tasks get the same value`() async {
    let memo = CatalogMemo()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask { (0..<100).allSatisfy { _ in memo.value { First(number: 7) }.number == 7 } }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
