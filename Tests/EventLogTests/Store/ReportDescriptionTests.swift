import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Each report prints as one short line.
@Suite struct ReportDescriptionTests {
  @Test func `the description of each report is one short line`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    #expect("\(try await phone.create(Meal.self, key: "oats"))" == "created meal/oats")
    #expect("\(try await tablet.sync(with: phone))" == "received 2 events, sent 0 events")
    let receipt = try await phone.edit(.oats) { $0.kcal = 1 }
    #expect("\(receipt)" == "appended 1 event, \(receipt.appended[0].id)")
    try await tablet.edit(.oats) { $0.kcal = 2 }
    let difference = try phone.journal.difference(from: tablet.journal)
    #expect("\(difference)".hasPrefix("1 event only left, 2 events only right"))
    let report = try await tablet.sync(with: phone)
    #expect("\(report)" == "received 1 event, sent 2 events, 1 new conflict")
    #expect("\(tablet.snapshot)" == "user ada, 5 events, 1 conflict")
    let size = try tablet.journal.verify().byteCount
    let counts = "5 events from 2 devices in \(size) bytes"
    #expect("\(try tablet.journal.verify())" == "sound, \(counts)")
    #expect("\(try tablet.journal.status())" == "user ada, \(counts), 1 conflict")
    #expect("\(RepairReport())" == "recovered 0 events, nothing is missing")
  }

  @Test func `a text's description has no quotes and its JSON has them`() {
    for (value, plain, json) in [
      ("say \"hi\"", "say \"hi\"", "\"say \\\"hi\\\"\""), (5, "5", "5"), (true, "true", "true"),
      (.null, "null", "null"), (["a", 1], "[\"a\",1]", "[\"a\",1]"),
    ] as [(JSONValue, String, String)] {
      #expect("\(value)" == plain && value.text == json)
    }
  }
}
