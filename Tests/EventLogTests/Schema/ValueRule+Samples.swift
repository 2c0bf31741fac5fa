import Testing

@testable import EventLog

extension ValueRule {
  /// Rules of each case.
  static let samples: [ValueRule] = [
    .any, .text, .number, .quantity, .boolean, .date, .time, .schedule, .wholeNumber,
    .wholeNumber(from: 0), .integer(-3...7), .integer(1...5), .integer(-9...(-3)),
    .integer(7...9), .entity(kind: "use-by"), .list(of: .text), .list(of: .list(of: .date)),
    .list(of: .list(of: .integer(1...2))),
  ]
}

@Suite struct ValueRuleSampleTests {
  @Test func `each rule that can be spelled has a sample`() {
    let words = ValueRule.samples.map { String($0.spelling.prefix { $0 != " " }) }
    #expect(Set(words) == Set(ValueRule.words))
  }
}
