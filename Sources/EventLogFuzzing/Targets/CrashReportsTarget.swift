import EventLog
import EventLogCrashReports
import EventLogTesting

/// A report contains only texts that have the form of their field, whatever was recorded.
///
/// Input: a file of the recorder, a payload of MetricKit, a log of Swift's runtime, or an exported
/// file. For the recorder, the bytes are also placed into blocks, which get their checksums.
enum CrashReportsTarget {
  static func check(_ input: [UInt8]) throws {
    for file in [input, sealed(input)] {
      try check(RawFile(file)?.reports ?? [])
    }
    try check((try? MetricKitPayload.reports(of: input)) ?? [])
    try check(RuntimeBacktrace.report(of: input, time: 0, app: "1.0").map { [$0] } ?? [])
    try check((try? CrashReportFile.reports(in: input, at: "file")) ?? [])
  }

  private static func check(_ reports: [CrashReport]) throws {
    let exported = CrashReportFile.bytes(of: reports)
    try Finding.require(
      (try? CrashReportFile.reports(in: exported, at: "file")) == reports,
      "An exported report is read differently.")
    for report in reports {
      let text = Array(report.json.text.utf8)
      try Finding.require(
        text.allSatisfy(isAllowed), "A report contains a character that no field has.")
      try Finding.require(text.count < 16 << 10, "A report is too long.")
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: Array(" .,:_+-?\"{}[]".utf8).contains(byte)
    }
  }

  // MARK: - Blocks

  private static let contentBytes = 1400
  private static let numbers = [
    RawLayout.header, RawLayout.names, RawLayout.images, RawLayout.done, RawLayout.errors,
    RawLayout.nested, RawLayout.begun,
  ]

  /// Returns a file whose blocks contain the parts of the input.
  private static func sealed(_ input: [UInt8]) -> [UInt8] {
    var file = [UInt8](repeating: 0, count: RawLayout.blocks * RawLayout.blockBytes)
    for (index, number) in numbers.enumerated() where index * contentBytes < input.count {
      let start = index * contentBytes
      let content = input[start..<min(start + contentBytes, input.count)]
      var block = [UInt8](repeating: 0, count: RawLayout.blockBytes)
      block.replaceSubrange(0..<4, with: Array("EvC1".utf8))
      block[4] = UInt8(number)
      block[5] = RawLayout.version
      block[6] = UInt8(number)
      block.replaceSubrange(16..<(16 + content.count), with: content)
      let covered = RawLayout.blockBytes - 4
      let checksum = CRC32C.checksum(Array(block.prefix(covered)))
      for byte in 0..<4 {
        block[covered + byte] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * byte))
      }
      let place = number * RawLayout.blockBytes
      file.replaceSubrange(place..<(place + RawLayout.blockBytes), with: block)
    }
    return file
  }
}
