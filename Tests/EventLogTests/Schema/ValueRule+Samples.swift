import Testing

@testable import EventLog

extension ValueRule {
  /// Rules of each case.
  static let samples: [ValueRule] = [
    .any, .text, .number, .quantity, .amount, .boolean, .date, .time, .schedule, .wholeNumber,
    .wholeNumber(from: 0), .integer(-3...7), .integer(1...5), .integer(-9...(-3)),
    .integer(7...9), .entity(kind: "use-by"), .attachment, .list(of: .text),
    .list(of: .list(of: .date)),
    .list(of: .list(of: .integer(1...2))),
  ]
}

@Suite struct ValueRuleSampleTests {
  /// The first word of a rule's spelling. The compiler reminds of a new case.
  private func word(_ rule: ValueRule) -> String {
    switch rule {
    case .any: "any"
    case .text: "text"
    case .number: "number"
    case .quantity: "quantity"
    case .amount: "amount"
    case .integer: "integer"
    case .boolean: "boolean"
    case .date: "date"
    case .time: "time"
    case .schedule: "schedule"
    case .entity: "entity"
    case .attachment: "attachment"
    case .list: "list"
    }
  }

  @Test func `each rule has a sample and a word`() {
    #expect(Set(ValueRule.samples.map(word)) == Set(ValueRule.words))
    for rule in ValueRule.samples {
      #expect(rule.spelling.split(separator: " ").first.map(String.init) == word(rule))
    }
  }
}
