import EventLogTesting
import Testing

@testable import EventLog

/// The memo that a scanner keeps of earlier lines never changes a result.
@Suite struct ScanMemoTests {
  /// The texts found by one scan, or its fault.
  private struct Found: LineSink, Equatable {
    var texts: [String] = []

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      texts = [layout.device, layout.type, layout.entity].map { canonical.text($0) }
      texts.append("\(layout.sequence) \(layout.members.map { canonical.text($0.name) })")
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
      texts = ["\(fault.code) \(fault.byte)"]
    }
  }

  private static let stems = ["phone-abcdefgh", "tablet-2", "a", "habit.edited", "x.y"]

  /// A name similar to others; some of these names are invalid.
  private static func name(_ random: inout SplitMix64) -> String {
    var bytes = Array(stems.randomElement(using: &random)!.utf8)
    let more = Array("ab9._-~:\"A".utf8)
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes.append(more.randomElement(using: &random)!)
      case 1:
        bytes[Int.random(in: bytes.indices, using: &random)] = more.randomElement(using: &random)!
      default: bytes += bytes.prefix(Int.random(in: 1...12, using: &random))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func line(_ names: [String], _ random: inout SplitMix64) -> [UInt8] {
    func pick() -> String { names.randomElement(using: &random)! }
    let sequence = Int.random(in: 1...200, using: &random)
    let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in "\"\(pick())\":1" }
    let covered =
      Array(
        #"{"id":"\#(pick()):\#(sequence)","at":"2026-01-28T09:12:33.123Z","type":"\#(pick())""#.utf8
      )
      + Array(#","data":{\#(members.joined(separator: ","))}"#.utf8)
    return sealed(covered, after: sequence == 1 ? 0 : 7) + [0x0A]
  }

  @Test func `a scanner with a memo reads a line like a new scanner`() throws {
    var eventCount = 0
    for seed in RandomRounds(200) {
      var random = SplitMix64(seed: seed)
      let names = (0..<12).map { _ in Self.name(&random) } + Self.stems
      var scanner = LineScanner()
      for _ in 0..<60 {
        let line = Self.line(names, &random)
        var (old, new) = (Found(), Found())
        var fresh = LineScanner()
        scanner.scan(line, at: 0, number: 1, into: &old)
        fresh.scan(line, at: 0, number: 1, into: &new)
        try #require(old == new, "EVENTLOG_SEED=\(seed) \(String(decoding: line, as: UTF8.self))")
        if new.texts.count > 1 { eventCount += 1 }
      }
    }
    #expect(eventCount > 100, "Most lines were refused.")
  }
}
