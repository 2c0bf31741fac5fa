import EventLog
import EventLogTesting
import Foundation
import Testing

@testable import EventLogCrashReports

/// The reports of MetricKit and of Swift's runtime, in the forms that both document.
@Suite struct ForeignReportTests {
  private static let payload = #"""
    {"timeStampBegin": "2026-01-27 09:00:00", "timeStampEnd": "2026-01-28 09:12:33",
     "crashDiagnostics": [{"version": "1.0.0", "callStackTree": {"callStackPerThread": true,
      "callStacks": [
       {"threadAttributed": false, "callStackRootFrames": [{"offsetIntoBinaryTextSegment": 1}]},
       {"threadAttributed": true, "callStackRootFrames": [
        {"binaryUUID": "70B89F27-1634-3580-A695-57CDB41D7743", "sampleCount": 1,
         "offsetIntoBinaryTextSegment": 165304, "binaryName": "Diary", "address": 7170766264,
         "subFrames": [{"binaryUUID": "77A62F2E-8212-30F3-84C1-E8497440ACF8",
          "offsetIntoBinaryTextSegment": 6948, "binaryName": "libdyld.dylib"}]}]}]},
      "diagnosticMetaData": {"appVersion": "1.4.2", "appBuildVersion": "1",
       "regionFormat": "de_DE", "osVersion": "iPhone OS 18.2 (22C152)",
       "deviceType": "iPhone15,2", "bundleIdentifier": "com.ada.diary", "signal": 10,
       "terminationReason": "hunter2", "virtualMemoryRegionInfo": "hunter2"}}],
     "hangDiagnostics": [{"diagnosticMetaData": {"hangDuration": "20 sec"}}]}
    """#

  @Test func `a payload of MetricKit becomes reports without its texts`() throws {
    let reports = try MetricKitPayload.reports(of: Array(Self.payload.utf8))
    #expect(reports.map(\.kind) == [.crash, .hang])
    let report = reports[0]
    #expect(report.signal == .bus && report.severity == .fatal)
    #expect(
      report.frames.map { $0?.description } == [
        "70b89f2716343580a69557cdb41d7743+0x285b8", "77a62f2e821230f384c1e8497440acf8+0x1b24",
      ])
    #expect(report.app == "1.4.2" && report.system == "iPhone OS 18.2")
    #expect(report.device == "iPhone15,2")
    #expect(report.hour.description == "2026-01-28T09:00:00.000Z")
    for word in ["hunter2", "de_DE", "ada", "Diary", "22C152", "7170766264"] {
      #expect(!report.json.text.contains(word))
    }
    #expect(try MetricKitPayload.reports(of: Array(Self.payload.utf8)) == reports)
  }

  @Test func `a payload may nest any number of frames`() throws {
    let count = 300
    let frame =
      #"{"binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743","#
      + #""offsetIntoBinaryTextSegment":7,"subFrames":["#
    let text =
      #"{"timeStampEnd":"2026-01-28 09:12:33","crashDiagnostics":[{"callStackTree":{"callStacks":"#
      + #"[{"threadAttributed":true,"callStackRootFrames":["#
      + String(repeating: frame, count: count) + String(repeating: "]}", count: count) + "]}]}}]}"
    let report = try #require(try MetricKitPayload.reports(of: Array(text.utf8)).first)
    #expect(report.frames.count == RawLayout.framesMax && report.isCut)
    #expect(report.frames.allSatisfy { $0?.offset == 7 })
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: EventLogError.self) { try MetricKitPayload.reports(of: Array(deep.utf8)) }
  }

  @Test func `nested JSON is read like other JSON`() throws {
    for text in [
      #"{"a":[1,-2,true,false,null,"b"],"c":{"d":[],"e":{}}}"#, "[[[[1]]]]", #" { "a" : "/" } "#,
      "7", #""text""#,
    ] {
      #expect(
        try NestedJSON.value(of: Array(text.utf8)) == JSONValue(parsing: text.utf8), "\(text)")
    }
    for text in ["", "[1,]", "{", #"{"a"}"#, #"{"a":1,}"#, "[1 2]", "tru", "\"a", "[1]]", "\u{7}"] {
      #expect(throws: NestedJSON.Fault.self) { try NestedJSON.value(of: Array(text.utf8)) }
    }
  }

  @Test(arguments: ["", "[]", "{}", #"{"crashDiagnostics":[]}"#, #"{"timeStampEnd":"#])
  func `other bytes than a payload are refused`(text: String) {
    #expect(throws: EventLogError.self) { try MetricKitPayload.reports(of: Array(text.utf8)) }
  }

  @Test func `a payload is taken in once`() async throws {
    let folder = try TemporaryFolder()
    let journal = try await CrashJournal.open(
      in: folder.file("crashes"), options: .repeatable())
    #expect(try await journal.takeIn(metricKit: Self.payload.utf8).reports.count == 2)
    #expect(try await journal.takeIn(metricKit: Self.payload.utf8).reports.count == 0)
    #expect(await journal.reports.count == 2)
    try await journal.close()
  }

  private static let log = """
    *** Program crashed: Bad pointer dereference at 0x0000000000000004 ***

    Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

    Thread 1 "diary" crashed:

      0      0x0000560c195e0f9e deep(_:) + 125 in diary
      1 [ra] 0x0000560c195e0fd8 deep(_:) + 183 in diary
    ...
      9 [ra] 0x00007fffffffffff main + 31 in other

    Registers:

    rax 0x0000000000000000  0
    rdx 0x00007ffcd3681360  10 14 68 d3 fc hunter2

    Images (12 omitted):

    0x0000560c195e0000–0x0000560c195e1310 7acecde4cdf0e2df15b3565ba1b71ece8711143e diary /home/ada

    Backtrace took 0.01s

    """

  @Test func `a log of the runtime becomes a report of signal and frames`() throws {
    let report = try #require(
      RuntimeBacktrace.report(of: Array(Self.log.utf8), time: 1_790_000_000_000, app: "1.4.2"))
    #expect(report.signal == .segmentation && report.fault == .null)
    #expect(report.isMainThread == false)
    #expect(
      report.frames.map { $0?.description } == [
        "7acecde4cdf0e2df15b3565ba1b71ece8711143e+0xf9e",
        "7acecde4cdf0e2df15b3565ba1b71ece8711143e+0xfd8", nil,
      ])
    for word in ["hunter2", "ada", "deep", "bookworm"] {
      #expect(!report.json.text.contains(word))
    }
    #expect(RuntimeBacktrace.report(of: Array("*** other".utf8), time: 0, app: "1") == nil)
    #expect(RuntimeBacktrace.report(of: [0xFF, 0xFE], time: 0, app: "1") == nil)
  }
}
