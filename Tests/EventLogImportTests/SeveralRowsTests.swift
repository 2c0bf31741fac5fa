import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Several rows with values of one field, and rows that are left out.
@Suite struct SeveralRowsTests {
  private static let drinks = """
    day,time,ml
    2026-02-01,08:00,250
    2026-02-01,12:00,250
    2026-02-01,18:00,250
    2026-02-02,08:00,250
    2026-02-02,12:00,300
    2026-02-02,18:00,

    """

  private func map(_ value: String, _ table: String = "") -> String {
    """
    {"source":"drinks","ignored":["time"],"tables":[{"files":"a.csv",\(table)"kind":"hydration",
    "key":"water","fields":{"name":{"value":"Water"}},"day":"day","days":{"ml":\(value)}}]}
    """
  }

  private func amounts(_ file: TextImport) -> [[String?]] {
    file.phone.store.snapshot.entities("hydration").map { $0.days.map { $0["ml"]?.text } }
  }

  @Test(arguments: [("sum", ["750", "550"]), ("max", ["250", "300"]), ("last", ["250", "300"])])
  func `a rule unites the rows of a day, and none is listed`(
    _ rule: String, _ expected: [String]
  ) async throws {
    let file = try await TextImport(Self.drinks)
    let report = try await file.run(map(#"{"column":"ml","several":"\#(rule)"}"#))
    #expect(amounts(file) == [expected] && report.remarks.isEmpty)
  }

  @Test func `without a rule each dropped row is listed, equal ones too`() async throws {
    let text = Self.drinks.replacingOccurrences(of: "2026-02-02,18:00,\n", with: "")
    let file = try await TextImport(text)
    let report = try await file.run(map(#""ml""#))
    #expect(amounts(file) == [["250", "300"]])
    #expect(
      report.remarks.map { $0.components(separatedBy: "a.csv:")[1].first } == ["2", "3", "5"])
    #expect(report.remarks[0].contains("\"ml\" of 2026-02-01 was left: line 3 has it too"))
  }

  @Test func `each row of a day can be a thing of its own`() async throws {
    let file = try await TextImport(Self.drinks)
    try await file.run(map(#""ml""#, #""several":"each","#))
    #expect(amounts(file) == [["250", "250"], ["250", "300"], ["250"]])
    #expect(
      file.phone.store.snapshot.entities("hydration").map(\.id.key)
        == ["water", "water~2", "water~3"])
  }

  @Test func `a sum is exact, and one that is too large is refused with its row`() async throws {
    let rule = map(#"{"column":"ml","several":"sum","decimal":"."}"#)
    let exact = try await TextImport("day,ml\n2026-02-01,0.1\n2026-02-01,0.2\n")
    try await exact.run(rule)
    #expect(amounts(exact) == [["0.3"]])
    let large = try await TextImport("day,ml\n2026-02-01,600000000\n2026-02-01,600000000\n")
    #expect(await large.refusal(rule).contains("a.csv:3 cannot be imported: the sum of \"ml\""))
  }

  @Test func `rows of one thing without days are united or listed once`() async throws {
    let text = "id,day,kg\n1,2026-02-01,72.5\n1,2026-02-01,73.5\n"
    func weights(_ value: String) -> String {
      #"{"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w-{id}","#
        + #""fields":{"day":"day","kilograms":\#(value)}}]}"#
    }
    let greatest = try await TextImport(text)
    try await greatest.run(weights(#"{"column":"kg","several":"max"}"#))
    #expect(greatest.texts("weight", "kilograms") == ["73.5"])
    let listed = try await TextImport(text)
    let report = try await listed.run(weights(#""kg""#))
    #expect(report.remarks.count == 1)
    #expect(report.remarks.first?.contains("\"day\" and \"kilograms\" were left: line 3") == true)
  }

  @Test(arguments: [
    (#""unless":{"day":["Total*",""]},"#, ""), (#""when":{"day":"2026-*"},"#, ""),
    ("", "a.csv:3 cannot be imported: the value of \"day\" must be a valid date"),
    (#""unless":{"dya":"Total"},"#, "a.csv has no column \"dya\""),
  ])
  func `rows are left out by a condition, and counted`(
    _ condition: String, _ refusal: String
  ) async throws {
    let file = try await TextImport("day,ml\n2026-02-01,250\nTotal ml,250\n,250\n")
    guard refusal.isEmpty else {
      return #expect(await file.refusal(map(#""ml""#, condition)).hasPrefix(refusal))
    }
    let report = try await file.run(map(#""ml""#, condition))
    #expect(amounts(file) == [["250"]])
    #expect(report.findings.count == 1 && report.findings[0].hasSuffix("leaves out 2 of 3 rows."))
  }

  @Test(arguments: [
    (#"{"column":"ml","several":"each"}"#, "", "unknown \"several\""),
    (#""ml""#, #""several":"sum","#, "unknown \"several\""),
    (#"{"column":"ml","as":"text","several":"max"}"#, "", "which needs numbers"),
    (#"{"column":"ml","as":"whole","round":true,"several":"sum"}"#, "", "would round each row"),
  ])
  func `a rule that can't be followed is refused`(
    _ value: String, _ table: String, _ message: String
  ) async throws {
    let file = try await TextImport(Self.drinks)
    #expect(await file.refusal(map(value, table)).contains(message))
  }
}
