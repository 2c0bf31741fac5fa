import EventLog
import EventLogTesting
import Testing

@testable import EventLogCrashReports

/// Groups, counts and exported files of reports.
@Suite struct CrashGroupTests {
  private func report(
    _ offsets: [UInt64], day: Int64 = 0, app: String = "1.4.2", signal: Int = 11
  ) -> CrashReport {
    var raw = RawReport()
    raw.signal = CrashReport.Signal(number: UInt8(signal))
    raw.frames = offsets.map { .offset($0, image: "a0a1a2a3") }
    raw.app = app
    raw.time = 1_790_000_000_000 + day * 86_400_000
    raw.identity = Array("\(day) \(offsets)".utf8)
    return .scrub(raw, images: [])
  }

  @Test func `reports with the same signal and innermost frames are a group`() {
    let same = (0..<3).map { report([1, 2, 3, 4, 5, 6 + UInt64($0)], day: Int64($0)) }
    let others = [report([1, 2, 3, 4, 6]), report([1, 2, 3, 4, 5], signal: 6)]
    let groups = CrashGroup.groups(of: same + others, naming: \.description)
    #expect(groups.map(\.reports.count) == [3, 1, 1])
    #expect(groups[0].reports.map(\.id) == same.reversed().map(\.id))
    #expect(groups[0].title == "SIGSEGV")
    // The return addresses lead into the calls.
    #expect(groups[0].top == ["a0a1a2a3+0x1"] + (1...4).map { "a0a1a2a3+0x\($0)" })
  }

  @Test func `names group the reports of several versions`() {
    let reports = [report([1, 2], app: "1.4.1"), report([8, 9], app: "1.4.2")]
    let groups = CrashGroup.groups(of: reports) { _ in "main" }
    #expect(groups.count == 1)
    #expect(groups[0].versions == [.init(name: "1.4.1", count: 1), .init(name: "1.4.2", count: 1)])
  }

  @Test(arguments: [([0, 1, 8], "falling"), ([0, 9, 10], "rising"), ([0, 10], "steady")])
  func `the trend compares two weeks`(days: [Int64], trend: String) {
    let reports = days.map { report([1], day: $0) }
    let last = Day(Timestamp(milliseconds: 1_790_000_000_000)!).advanced(by: 10)
    let group = CrashGroup.groups(of: reports, naming: \.description)[0]
    #expect(group.trend(endingOn: last).rawValue == trend)
  }

  @Test func `an exported file has a report on each line and is read as it was`() throws {
    let reports = [report([1, 2]), report([3], day: 4)]
    let bytes = CrashReportFile.bytes(of: reports)
    #expect(bytes.split(separator: 0x0A).count == 4)
    #expect(try CrashReportFile.reports(in: bytes, at: "file") == reports)
    #expect(try CrashReportFile.reports(in: Array("{}".utf8), at: "file") == nil)
    let wrong = Array(
      #"{"format":"eventlog-crash-reports","version":1,"reports":[{"id":1}]}"#.utf8)
    #expect(throws: EventLogError.self) { try CrashReportFile.reports(in: wrong, at: "file") }
  }
}
