import Testing

@testable import EventLog

@Suite struct DecimalValueTests {
  /// Values in one row are equal; values in different rows are not.
  static let classes: [[String]] = [
    ["70", "70.0", "7e1", "0.7e2", "700e-1", "7E+1", "70.00", "0.0070e4", "7e0001"],
    ["-70", "-70.0", "-7e1"],
    ["7"], ["7.1", "71e-1", "7.10"], ["0.7", "7e-1", "0.70"],
    ["0", "-0", "0.0", "0e9", "-0.0e-5", "0e99999999999999999999999999999999999999999"],
    ["1", "1.0", "1e0", "1e-0", "0.1e1", "10e-1"], ["-1", "-1.0"], ["10", "1e1"],
    ["9007199254740992", "9007199254740992.0"], ["9007199254740993"],
    ["18446744073709551615"], ["18446744073709551616"],
    ["1e400", "10e399", "0.01e402"], ["1e-400", "0.1e-399"], ["1e401"],
    ["123456789012345678901234567890.5", "1234567890123456789012345678905e-1"],
    ["1e99999999999999999999", "10e99999999999999999998", "1.0e+99999999999999999999"],
    ["1e-99999999999999999999"], ["1e100000000000000000000"],
  ]

  @Test func `spellings are equal exactly if their decimal values are`() {
    let all = Self.classes.enumerated().flatMap { index, row in row.map { (index, $0) } }
    for (left, leftText) in all {
      for (right, rightText) in all {
        let isEqual = DecimalValue(leftText.utf8) == DecimalValue(rightText.utf8)
        #expect(isEqual == (left == right), "\(leftText) and \(rightText)")
        let numbers = (JSONNumber(trusted: leftText), JSONNumber(trusted: rightText))
        #expect((numbers.0 == numbers.1) == (left == right))
        if left == right { #expect(numbers.0.hashValue == numbers.1.hashValue) }
      }
    }
  }

  @Test func `random values equal their shifted spellings and differ from their neighbors`() {
    var random = FormatRandom.generator("DecimalValue")
    for _ in 0..<2000 {
      let value = Int64.random(in: -1_000_000...1_000_000, using: &random)
      let zeros = Int.random(in: 0...30, using: &random)
      let shifted = "\(value)" + String(repeating: "0", count: zeros) + "e-\(zeros)"
      let fraction = "\(value)." + String(repeating: "0", count: zeros + 1)
      #expect(DecimalValue("\(value)".utf8) == DecimalValue(shifted.utf8))
      #expect(DecimalValue("\(value)".utf8) == DecimalValue(fraction.utf8))
      #expect(DecimalValue("\(value + 1)".utf8) != DecimalValue(shifted.utf8))
      #expect(DecimalValue("\(value)".utf8).isBelowZero == (value < 0))
    }
  }

  @Test func `a negative zero isn't below zero`() {
    for zero in ["0", "-0", "-0.0", "-0e5"] { #expect(!DecimalValue(zero.utf8).isBelowZero) }
    for negative in ["-1", "-0.1", "-1e-400"] { #expect(DecimalValue(negative.utf8).isBelowZero) }
  }
}
