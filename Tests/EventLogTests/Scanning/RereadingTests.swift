import EventLogTesting
import Testing

@testable import EventLog

/// Conflicts take further readings of the file; those must refuse what the first one refused.
@Suite struct RereadingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two devices that write one setting, both having seen the value of `a:2`.
  private static let lines: [[UInt8]] = {
    var chains: [Substring: UInt32] = [:]
    return [
      #"{"id":"a:1",AT,"type":"device.joined","data":{"user":"ada","name":"A"}"#,
      #"{"id":"a:2",AT,"type":"settings.changed","data":{"theme":"base"}"#,
      #"{"id":"b:1",AT,"type":"device.joined","seen":{"a":2},"data":{"user":"ada","name":"B"}"#,
      #"{"id":"b:2",AT,"type":"settings.changed","data":{"theme":"y"}"#,
      #"{"id":"a:3",AT,"type":"settings.changed","data":{"theme":"x"}"#,
    ].map { (text: String) in
      let covered = Array(
        text.replacing("AT", with: #""at":"2026-01-28T09:12:33.123Z""#).utf8)
      let device = text.dropFirst(7).prefix(1)
      let line = sealed(covered, after: chains[device] ?? 0)
      chains[device] = LineChecksum.of(covered: covered, after: chains[device] ?? 0).chain
      return line
    }
  }()

  private func snapshot(_ lines: [[UInt8]]) throws -> Snapshot {
    let disk = SystemFileSystem()
    let file = try disk.open(folder.file("ada.jsonl"), .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, lines.flatMap { $0 + [0x0A] }, at: 0)
    return try Journal(path: folder.file("ada.jsonl")).snapshot().snapshot
  }

  @Test func `the base of a conflict is what both had seen`() throws {
    let snapshot = try snapshot(Self.lines)
    #expect(snapshot.conflicts.map(\.base) == [.some("base")])
    #expect(snapshot.damage == [])
  }

  /// Each change leaves a line that can still be read, were it not refused.
  @Test(arguments: [
    ("base", "bAse"), ("settings.changed", "settings.chamged"), ("2026", "2027"), ("a:2", "a:9"),
  ])
  func `a damaged line is in no further reading`(old: String, new: String) throws {
    var lines = Self.lines
    lines[1] = Array(
      String(decoding: lines[1], as: UTF8.self).replacing(old, with: new).utf8)
    let damaged = try snapshot(lines)
    #expect(damaged.damage.first?.code == .line(.checksumMismatch))
    lines.remove(at: 1)
    let missing = try snapshot(lines)
    #expect(damaged.json() == missing.json())
    #expect(damaged.conflicts.map(\.base) == [nil])
  }

  /// A reading of envelopes alone would end before the member that stands behind `data`.
  @Test(arguments: [
    ([#","seen":{"a":2}"#, #","data":{"user":"ada","name":"B"}"#], "seen"),
    ([#","seen":{"a":2}"#, #","data":{"user":"ada","name":"B"}"#, #","x":1"#], "unknown"),
  ])
  func `members behind data are in every further reading`(members: [String], name: String) throws {
    let start = #"{"id":"b:1","at":"2026-01-28T09:12:33.123Z","type":"device.joined""#
    let first = sealed(start + members.reversed().joined())
    let chain = LineChecksum(text: first.dropLast(2).suffix(16))?.chain
    var lines = Self.lines
    lines[2] = first
    lines[3] = try sealed(Array(lines[3].dropLast(26)), after: #require(chain))
    let snapshot = try snapshot(lines)
    #expect(snapshot.damage == [])
    #expect(snapshot.conflicts.map(\.base) == [.some("base")])
  }

  @Test func `bytes that are no UTF-8 are in no further reading`() throws {
    var lines = Self.lines
    lines[1][lines[1].count - 32] = 0xFF
    let damaged = try snapshot(lines)
    #expect(damaged.damage.first?.code == .line(.invalidUTF8))
    #expect(damaged.conflicts.map(\.base) == [nil])
  }
}
