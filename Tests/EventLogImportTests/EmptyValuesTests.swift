import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Rows of one day or entity, some of which have no value.
@Suite struct EmptyValuesTests {
  private func map(_ value: String, _ table: String = #""at":"time","#) -> String {
    """
    {"source":"drinks","ignored":["*"],"tables":[{"files":"a.csv",\(table)"kind":"hydration",
    "key":"water","fields":{"name":{"value":"Water"}},"day":"day","days":{"ml":\(value)}}]}
    """
  }

  private func amounts(_ file: TextImport) -> [String?] {
    file.phone.store.snapshot.entities("hydration").flatMap { $0.days.map { $0["ml"]?.text } }
  }

  @Test(arguments: [
    ["08:00", "18:00", "12:00"], ["12:00", "08:00", "18:00"], ["18:00", "12:00", "08:00"],
  ])
  func `the last value that isn't empty counts in any order of rows`(
    _ times: [String]
  ) async throws {
    let values = ["08:00": "250", "12:00": "300", "18:00": ""]
    let rows = times.map { "2026-02-01,2026-02-01 \($0),\(values[$0] ?? "")\n" }.joined()
    let file = try await TextImport("day,time,ml\n" + rows)
    let report = try await file.run(map(#"{"column":"ml","several":"last"}"#), zone: "UTC")
    #expect(amounts(file) == ["300"] && report.remarks.isEmpty)
  }

  @Test(arguments: [["250", ""], ["", "250"]])
  func `without a rule an empty value doesn't replace another one`(
    _ values: [String]
  ) async throws {
    let rows = values.map { "2026-02-01,\($0)\n" }.joined()
    let file = try await TextImport("day,ml\n" + rows)
    let report = try await file.run(map(#""ml""#, ""))
    #expect(amounts(file) == ["250"] && report.remarks.isEmpty)
  }

  @Test func `an empty value of a later export clears what an earlier one said`() async throws {
    let map = """
      {"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w-{day}","fields":{
      "kilograms":"kg","note":{"column":"note","as":"text","undeclared":true}}}]}
      """
    let file = try await TextImport("day,kg,note\n1,72,\n2,73,tired\n3,74,\n")
    let report = try await file.run(map)
    #expect(report.valueCount == 4)
    #expect(file.values("weight", "note") == [nil, "tired", nil])
    try Data("day,kg,note\n1,72,late\n2,73,\n3,,\n".utf8).write(
      to: URL(fileURLWithPath: file.path))
    try await file.run(map)
    #expect(file.values("weight", "note") == ["late", nil, nil])
    #expect(file.texts("weight", "kilograms") == ["72", "73", nil])
  }

  @Test func `each row of a long table has only its own field`() async throws {
    let map = """
      {"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w-{day}","fields":{
      "kilograms":{"column":"value","when":{"name":"kg"},"as":"number"},
      "note":{"column":"value","when":{"name":"note"},"as":"text","undeclared":true}}}]}
      """
    let file = try await TextImport("day,name,value\n1,kg,72\n1,note,after lunch\n")
    let report = try await file.run(map)
    #expect(file.texts("weight", "kilograms") == ["72"])
    #expect(file.values("weight", "note") == ["after lunch"] && report.remarks.isEmpty)
  }

  @Test func `the exact number belongs to the value that counts`() async throws {
    let rounded = #"{"column":"n","as":"whole","round":true,"exact":"exact","several":"last"}"#
    let map = """
      {"source":"w","tables":[{"files":"a.csv","kind":"habit","key":"w","fields":{
      "name":{"value":"Tea"}},"day":"day","days":{"progress":\(rounded)}}]}
      """
    let whole = try await TextImport("day,n\n2026-02-01,72.4\n2026-02-01,80\n")
    try await whole.run(map)
    #expect(whole.values("habit", "exact") == [nil])
    let fraction = try await TextImport("day,n\n2026-02-01,80\n2026-02-01,72.4\n")
    try await fraction.run(map)
    #expect(fraction.texts("habit", "exact") == ["72.4"])
  }

  @Test func `a remark names the row that has each value`() async throws {
    let map = """
      {"source":"w","tables":[{"files":"a.csv","kind":"weight","key":"w","fields":{
      "day":"day","kilograms":"kg"}}]}
      """
    let file = try await TextImport("day,kg\n2026-02-01,72\n2026-02-02,\n2026-02-03,73\n")
    let report = try await file.run(map)
    #expect(report.remarks.count == 3)
    #expect(report.remarks.contains { $0.contains("a.csv:2: \"day\" was left: line 3 has it too") })
    #expect(report.remarks.contains { $0.contains("a.csv:2: \"kilograms\" was left: line 4 has") })
    #expect(report.remarks.contains { $0.contains("a.csv:3: \"day\" was left: line 4 has it too") })
  }
}
