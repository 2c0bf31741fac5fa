import EventLog
import EventLogTesting
import Foundation
import Testing

@testable import EventLogCrashReports

/// The contents of reports, and secrets that they never contain.
@Suite struct ScrubbingTests {
  private static let image = RawReport.Image(
    id: "a0a1a2a3a4a5a6a7", base: 0x1000, text: 0x1000, textBytes: 0x1000)

  @Test func `a raw file becomes a report with addresses relative to images`() throws {
    let file = try #require(RawFile(RawFixture(session: 7).bytes))
    #expect(!file.isTorn && file.reports.count == 1)
    let report = try #require(file.reports.first)
    #expect(
      report.frames.map { $0?.description } == [
        "a0a1a2a3a4a5a6a7+0x10", "a0a1a2a3a4a5a6a7+0x20", nil,
      ])
    #expect(report.signal == .segmentation && report.fault == .null)
    #expect(report.memory == .under4GiB)
    #expect(report.breadcrumbs == ["opened", "saved"])
    #expect(report.hour.description == "2026-09-12T08:00:00.000Z")
  }

  @Test func `reports of the same content differ by their recording`() throws {
    let one = try #require(RawFile(RawFixture(session: 7).bytes)?.reports.first)
    let same = try #require(RawFile(RawFixture(session: 7).bytes)?.reports.first)
    var other = try #require(RawFile(RawFixture(session: 8).bytes)?.reports.first)
    #expect(one == same && one.id != other.id)
    other.id = one.id
    #expect(one == other)
  }

  @Test func `an error has the name of its type and its severity`() throws {
    var fixture = RawFixture(session: 7)
    fixture.errorType = "Diary.SyncFailure"
    let reports = try #require(RawFile(fixture.bytes)).reports
    #expect(reports.map(\.kind) == [.error, .crash])
    #expect(reports[0].errorType == "Diary.SyncFailure" && reports[0].severity == .warning)
  }

  @Test(arguments: [
    ("1.4.2", true), ("7", true), ("1.4.2-beta.3", true), ("2.0+build7", true), ("", false),
    ("version", false), ("1..2", false), ("1.2-", false), ("1.2 /home/ada", false),
    ("1.2-abcdefghijklm", false), ("1.2-pass word", false), ("1.2.3.4.5", false),
  ])
  func `an app's version has digits, dots and a short suffix`(text: String, isVersion: Bool) {
    #expect((ReportTexts.app(text) != nil) == isVersion)
  }

  @Test(arguments: [
    ("Linux 6.1", "Linux 6.1"), ("iPhone OS 18.2 (22C152)", "iPhone OS 18.2"),
    ("macOS 15.1.1", "macOS 15.1.1"), ("Linux ada", nil), ("ada", nil), ("Linux ", nil),
  ])
  func `a system has a known name and a version`(text: String, system: String?) {
    #expect(ReportTexts.system(text) == system)
  }

  @Test(arguments: [
    ("iPhone15,2", "iPhone15,2"), ("x86_64, 1 core, 4 GiB", "x86_64, 1 core, 4 GiB"),
    ("arm64, 8 cores, 16 GiB", "arm64, 8 cores, 16 GiB"), ("ada's phone", nil),
    ("x86_64, ada, 4 GiB", nil), ("iPhone15,ada", nil), ("a,b,c", nil),
  ])
  func `a device is a model or a processor`(text: String, device: String?) {
    #expect(ReportTexts.device(text) == device)
  }

  /// Each text and each number of a raw report is a secret in turn, and none is in the report.
  @Test func `no planted secret is in any report`() throws {
    for seed in seeds(400) {
      var random = SplitMix64(seed: seed)
      let secret = "hunter2/" + String(random.next(), radix: 36) + "\u{E9}"
      var raw = RawReport()
      raw.kind = CrashReport.Kind.allCases.randomElement(using: &random)!
      raw.errorType = ["A.B", secret].randomElement(using: &random)!
      (raw.app, raw.system, raw.device) = (secret, "Linux \(secret)", "x86_64, \(secret), 4 GiB")
      raw.time = Int64.random(in: .min ... .max, using: &random)
      raw.breadcrumbs = (0..<25).map { _ in ["opened", secret].randomElement(using: &random)! }
      raw.identity = Array(secret.utf8)
      // Eight bytes of the secret as an address, and real addresses among them.
      let word = secret.utf8.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      raw.frames = (0..<200).map { _ in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .address(word)
        case 1: .offset(UInt64.random(in: 0..<1000, using: &random), image: secret)
        case 2: .address(UInt64.random(in: 0x1000..<0x2000, using: &random))
        default: .address(random.next())
        }
      }
      let report = CrashReport.scrub(
        raw,
        images: [
          Self.image,
          .init(
            id: secret, base: 0x4000, text: 0x4000, textBytes: 0x1000),
        ])
      let text = report.json.text
      for length in 4...secret.utf8.count {
        let part = String(decoding: secret.utf8.prefix(length), as: UTF8.self)
        #expect(!text.contains(part), "seed \(seed)")
      }
      for word in [word, word.byteSwapped] {
        #expect(!text.contains(String(word, radix: 16)), "seed \(seed)")
      }
      #expect(report.frames.compactMap { $0 }.allSatisfy { $0.offset < 0x1000 })
      #expect(report.frames.count == RawLayout.framesMax && report.isCut)
      #expect(CrashReport(json: report.json) == report)
      #expect(report.hour.milliseconds % 3_600_000 == 0)
    }
  }

  @Test func `any change to a raw file is noticed or changes only unknown values`() throws {
    let whole = try #require(RawFile(RawFixture(session: 7).bytes)).reports
    for seed in seeds(300) {
      var random = SplitMix64(seed: seed)
      var bytes = RawFixture(session: 7).bytes
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] ^= UInt8.random(in: 1...255, using: &random)
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<9000, using: &random)) }
      guard let file = RawFile(bytes) else { continue }
      #expect(file.isTorn || file.reports == whole, "seed \(seed)")
      #expect(file.reports.count <= 1)
    }
  }

  @Test func `unknown members of an exported report are left out`() throws {
    let report = try #require(RawFile(RawFixture(session: 7).bytes)?.reports.first)
    guard case .object(var members) = report.json else { return }
    members["message"] = "secret"
    members["app"] = "/home/ada"
    let read = try #require(CrashReport(json: .object(members)))
    #expect(read.app == nil && !read.json.text.contains("secret"))
    members["frames"] = ["/home/ada"]
    #expect(CrashReport(json: .object(members)) == nil)
  }
}
