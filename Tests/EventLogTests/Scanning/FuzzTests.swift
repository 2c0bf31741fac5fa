import EventLogTesting
import Testing

@testable import EventLog

/// Foreign bytes never trap, and are never two different things to two readers.
@Suite struct FuzzTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func text(_ bytes: [UInt8]) -> String {
    "\(String(decoding: bytes, as: UTF8.self).debugDescription), as bytes \(bytes)"
  }

  /// A line never holds an LF, and one without anything is passed over.
  private static func isLine(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
  }

  @Test func `the fast and the general reader agree on every damaged line`() throws {
    let lines = try FormatFiles.goldenLines()
    var mutator = Mutator(FormatRandom.generator("Fuzz, lines"), donors: lines)
    // One scanner for all: what it keeps from line to line must never matter.
    var scanner = LineScanner()
    var accepted = 0
    for round in 0..<FormatRandom.rounds(20_000) {
      let original = lines.randomElement(using: &mutator.random)!
      var line: [UInt8]
      switch round % 8 {
      case 0: line = mutator.noise()
      case 1: line = sealed(mutator.noise())
      case 2, 3, 4: line = mutator.mutated(original)
      // Behind the checksum: what stands before the tail is damaged and sealed again.
      default: line = sealed(mutator.mutated(original.dropLast(26)))
      }
      for place in line.indices where line[place] == 0x0A { line[place] = 0x20 }
      guard Self.isLine(line) else { continue }
      let fast = try scanner.read(line)
      let general = readGenerally(line)
      guard fast == general else {
        Issue.record("\(fast), but \(general): \(Self.text(line))")
        return
      }
      if let event = fast.event {
        accepted += 1
        guard Self.isLawful(event) else {
          Issue.record("against the rules: \(Self.text(line))")
          return
        }
      }
      if let fault = fast.fault, !(0...line.count).contains(fault.byte) {
        Issue.record("\(fault) is outside \(Self.text(line))")
        return
      }
    }
    // Else the fuzzing would only ever knock at the door.
    #expect(accepted > 100)
  }

  /// What is accepted keeps the rules, as the public types know them, and can be written.
  private static func isLawful(_ event: Event) -> Bool {
    guard EventID(event.id.description) == event.id,
      LineChecksum(text: event.checksum.utf8) != nil,
      event.seen.allSatisfy({ FullEventID($0.description) == $0 }),
      zip(event.seen, event.seen.dropFirst()).allSatisfy(<)
    else { return false }
    guard event.version == 1 else { return event.version > 1 && event.at == nil }
    guard let at = event.at, Timestamp(at.description) == at, EventDraft.isValid(type: event.type),
      event.entity.map({ EntityID($0.description) == $0 }) ?? true,
      event.ref.map(EventDraft.isValid(ref:)) ?? true
    else { return false }
    var writer = EventLineWriter(after: 0)
    writer.write(
      id: event.id, at: at, type: event.type, entity: event.entity, seen: event.seen,
      ref: event.ref, more: event.hasMore, data: event.data)
    var scanner = LineScanner()
    guard let again = try? scanner.read(writer.bytes.dropLast()).event else { return false }
    return scanner.slowLineCount <= 1 && EventContent(again) == EventContent(event)
  }

  @Test func `no damaged journal traps, is changed, or is two things to two readers`() throws {
    let names = try FormatFiles.names(in: "Golden", suffix: ".jsonl")
    let journals = try names.map { try FormatFiles.bytes("Golden", $0 + ".jsonl") }
    var mutator = Mutator(FormatRandom.generator("Fuzz, journals"), donors: journals)
    var sound = 0
    for round in 0..<FormatRandom.rounds(50) {
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

  /// Damages a line or two and seals all again, so that what they say reaches the state.
  private static func resealed(_ lines: [[UInt8]], _ mutator: inout Mutator) -> [[UInt8]] {
    var newChains: [ArraySlice<UInt8>: [UInt8]] = [:]
    let first = Int.random(in: 0...lines.count, using: &mutator.random)
    return lines.enumerated().map { index, line in
      guard line.count > 26, let checksum = LineChecksum(text: line.dropLast(2).suffix(16)) else {
        return line
      }
      var covered = Array(line.dropLast(26))
      // What `seen` names is called otherwise now.
      for place in covered.indices where covered[place] == UInt8(ascii: "~") {
        let digits = place + 1..<min(place + 9, covered.count)
        if let chain = newChains[covered[digits]] { covered.replaceSubrange(digits, with: chain) }
      }
      if index == first || index == first + 3 { covered = mutator.mutated(covered) }
      let before = newChains[checksum.digits[..<8]].flatMap { ChainDigits.value($0) }
      let sealed = sealed(covered, after: before ?? checksum.before)
      newChains[checksum.digits[8...]] = Array(sealed.dropLast(2).suffix(8))
      return sealed
    }
  }

  /// Reads `bytes` as a journal in every way; true if it is sound.
  private func check(_ bytes: [UInt8]) throws -> Bool {
    let disk = SystemFileSystem()
    let path = folder.file("fuzz.jsonl")
    let file = try disk.open(path, .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
    let journal = Journal(path: path)
    let report = try journal.verify()
    for problem in report.problems
    where problem.line < 1 || !(0...Int64(bytes.count)).contains(problem.byte) {
      Issue.record("\(problem) is outside \(Self.text(bytes))")
    }
    do throws(EventLogError) {
      let read = try journal.snapshot()
      var replayed = 0
      let replay = try journal.replay { _, _ in
        replayed += 1
        return true
      }
      let status = try journal.status()
      let counts = [read.snapshot.eventCount, replayed, status.eventCount, report.eventCount]
      let damage = [read.firstDamage, replay.firstDamage, status.firstDamage]
      if Set(counts).count > 1 {
        Issue.record("counted \(counts): \(Self.text(bytes))")
      }
      if Set(damage + [report.problems.first(where: \.isDamage)]).count > 1 {
        Issue.record("damage \(damage): \(Self.text(bytes))")
      }
      if status.conflictCount != read.snapshot.conflicts.count {
        Issue.record("\(status.conflictCount) conflicts: \(Self.text(bytes))")
      }
      // A value of depth 64 stands a few levels deeper in the state.
      do throws(LineFault) { _ = try JSONValue(parsing: read.snapshot.json()) } catch {
        if error.code != .tooDeep { Issue.record("\(error) in the state: \(Self.text(bytes))") }
      }
    } catch {
      // Of several users nothing may tell whose it is.
      if error.code != .notAJournal, error.code != .userNeeded { throw error }
    }
    let after = try disk.contents(ofFile: path, maximumBytes: 1 << 24)
    if after != bytes { Issue.record("changed: \(Self.text(bytes))") }
    return report.problems.isEmpty
  }

  @Test func `the other readers of foreign text never trap and read only what they write`() throws {
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
    for _ in 0..<FormatRandom.rounds(5000) {
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
      let again = try? JSONValue(parsing: value.text.utf8)
      if again != value || again?.text != value.text {
        Issue.record("not as it was read: \(Self.text(bytes))")
        return
      }
    }
  }
}
