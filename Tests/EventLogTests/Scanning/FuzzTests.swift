import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Random bytes never trap, and all readers agree on them.
@Suite(.tags(.random)) struct FuzzTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func text(_ bytes: [UInt8]) -> String {
    "\(String(decoding: bytes, as: UTF8.self).debugDescription), as bytes \(bytes)"
  }

  /// A line contains no LF, and a blank line is skipped.
  private static func isLine(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
  }

  @Test func `the fast and the general reader agree on every damaged line`() throws {
    let lines = try FormatFiles.goldenLines()
    var mutator = Mutator(FormatRandom.generator("Fuzz, lines"), donors: lines)
    // One scanner for all lines: its memo must not affect any result.
    var scanner = LineScanner()
    var accepted = 0
    for round in 0..<Rounds.of(20_000) {
      let original = lines.randomElement(using: &mutator.random)!
      var line: [UInt8]
      switch round % 8 {
      case 0: line = mutator.noise()
      case 1: line = sealed(mutator.noise())
      case 2, 3, 4: line = mutator.mutated(original)
      // Damage before the checksum, sealed again so that the checksum matches.
      default: line = sealed(mutator.mutated(original.dropLast(26)))
      }
      for index in line.indices where line[index] == 0x0A { line[index] = 0x20 }
      guard Self.isLine(line) else { continue }
      let fast = try scanner.read(line)
      let general = try readGenerally(line)
      guard fast == general else {
        Issue.record("\(fast), but \(general): \(Self.text(line))")
        return
      }
      if let event = fast.event {
        accepted += 1
        guard event.isLawful else {
          Issue.record("against the rules: \(Self.text(line))")
          return
        }
      }
      if let fault = fast.fault, !(0...line.count).contains(fault.byte) {
        Issue.record("\(fault) is outside \(Self.text(line))")
        return
      }
    }
    // Otherwise, the test would exercise only the rejection paths.
    #expect(accepted > Rounds.of(100))
  }

  @Test func `damaged journals never trap or change, and all readers agree on them`() throws {
    let names = try FormatFiles.names(in: "Golden", suffix: ".jsonl")
    let journals = try names.map { try FormatFiles.bytes("Golden", $0 + ".jsonl") }
    var mutator = Mutator(FormatRandom.generator("Fuzz, journals"), donors: journals)
    var sound = 0
    for round in 0..<Rounds.of(50) {
      let original = journals.randomElement(using: &mutator.random)!
      var lines = original.split(separator: 0x0A).map(Array.init)
      switch round % 4 {
      case 0: lines = [mutator.mutated(original)]
      case 1:
        lines.swapAt(
          lines.indices.randomElement(using: &mutator.random) ?? 0,
          lines.indices.randomElement(using: &mutator.random) ?? 0)
      default: lines = Self.resealed(lines, &mutator)
      }
      let bytes = Array(lines.joined(separator: [0x0A])) + (round % 3 == 0 ? [] : [0x0A])
      if try check(bytes) { sound += 1 }
    }
    #expect(sound > 0)
  }

  /// Damages one or two lines and seals all again, so that the damage reaches the state.
  private static func resealed(_ lines: [[UInt8]], _ mutator: inout Mutator) -> [[UInt8]] {
    let first = Int.random(in: 0...lines.count, using: &mutator.random)
    return EventLogTesting.resealed(
      lines.enumerated().map { index, line in
        guard index == first || index == first + 3 else { return line }
        return mutator.mutated(Array(line.dropLast(sealedTailBytes))) + line.suffix(sealedTailBytes)
      })
  }

  /// Reads `bytes` as a journal in every way, and returns whether it is sound.
  private func check(_ bytes: [UInt8]) throws -> Bool {
    let disk = SystemFileSystem()
    let path = folder.file("fuzz.jsonl")
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
    do {
      let isSound = try Journal(path: path, catalog: .standard).checkAgreement().report.problems
        .isEmpty
      let after = try disk.contents(ofFile: path, maximumBytes: 1 << 24)
      if after != bytes { Issue.record("changed: \(Self.text(bytes))") }
      return isSound
    } catch let finding as Finding {
      Issue.record("\(finding) \(Self.text(bytes))")
      return false
    }
  }

  @Test
  func `IDs, days, times, JSON and device records from damaged text never trap and round-trip`()
    throws
  {
    let record = DeviceRecord(
      device: DeviceID(trusted: "phone-k3f9a2xq"), machine: "m",
      file: DeviceRecord.FileIdentity(inode: 42, birth: 7), sequence: 3,
      checksum: LineChecksum(before: 1, chain: 2))
    let texts = [
      record.encoded, Array("2026-01-28T09:12:33.123+02:00".utf8), Array("phone-k3f9a2xq:42".utf8),
      Array("phone-k3f9a2xq:42~5b1f00aa".utf8),
      Array("habit/3f9c".utf8), Array("2026-01-28".utf8),
      Array(#"{"b":[1.5e-3,"\ud83d\ude00é"],"a":{"":null,"x":true}}"#.utf8),
    ]
    #expect(DeviceRecord(encoded: record.encoded) == record)
    var mutator = Mutator(FormatRandom.generator("Fuzz, texts"), donors: texts)
    for _ in 0..<Rounds.of(5000) {
      let original = texts.randomElement(using: &mutator.random)!
      let bytes = mutator.mutated(original)
      let text = String(decoding: bytes, as: UTF8.self)
      let isFaithful =
        (EventID(text).map { $0.description.utf8.elementsEqual(text.utf8) } ?? true)
        && (FullEventID(text).map { $0.description.utf8.elementsEqual(text.utf8) } ?? true)
        && (EntityID(text).map { $0.description.utf8.elementsEqual(text.utf8) } ?? true)
        && (Day(text).map { $0.description.utf8.elementsEqual(text.utf8) } ?? true)
        && (Timestamp(text).map { Timestamp($0.description) == $0 } ?? true)
        && (DeviceRecord(encoded: bytes).map { DeviceRecord(encoded: $0.encoded) == $0 } ?? true)
      guard isFaithful else {
        Issue.record("not as it was read: \(Self.text(bytes))")
        return
      }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      let reparsed = try? JSONValue(parsing: value.text.utf8)
      if reparsed != value || reparsed?.text != value.text {
        Issue.record("not as it was read: \(Self.text(bytes))")
        return
      }
    }
  }
}
