import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLog

/// Conflicts need a second reading of the file, which must refuse the same lines as the first.
@Suite struct RereadingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two devices that write one setting, both having seen the value of `a:2`.
  private static let lines: [[UInt8]] = {
    var (one, other) = (HandmadeDevice("a"), HandmadeDevice("b"))
    var lines = [
      one.join(user: "ada"), one.write("settings.changed", nil, ["theme": "base"]),
    ]
    let base = one.tip
    lines += [
      other.join(user: "ada"),
      other.write("settings.changed", nil, ["theme": "y"], seeing: [base]),
      one.write("settings.changed", nil, ["theme": "x"]),
    ]
    return lines
  }()

  private func snapshot(_ lines: [[UInt8]]) throws -> Snapshot {
    let disk = SystemFileSystem()
    let file = try disk.open(folder.file("ada.jsonl"), .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, lines.flatMap { $0 + [0x0A] }, at: 0)
    return try Journal(path: folder.file("ada.jsonl"), catalog: .standard).snapshot().snapshot
  }

  @Test func `the base of a conflict is the value that both writers had seen`() throws {
    let snapshot = try snapshot(Self.lines)
    #expect(snapshot.conflicts.map(\.base) == [.some("base")])
    #expect(snapshot.damage == [])
  }

  /// Each change leaves a line that would be readable without its checksum.
  @Test(arguments: [
    ("base", "bAse"), ("settings.changed", "settings.chamged"), ("2023", "2024"), ("a:2", "a:9"),
  ])
  func `a damaged line is skipped by the second reading`(old: String, new: String) throws {
    var lines = Self.lines
    lines[1] = Array(
      String(decoding: lines[1], as: UTF8.self).replacing(old, with: new).utf8)
    let damaged = try snapshot(lines)
    #expect(damaged.damage.contains { $0.code == .line(.checksumMismatch) })
    lines.remove(at: 1)
    let missing = try snapshot(lines)
    #expect(damaged.json() == missing.json())
    #expect(damaged.conflicts.map(\.base) == [nil])
  }

  /// A reading of the envelope alone would stop before members that follow `data`.
  @Test(arguments: [[1, 0], [1, 0, 2]])
  func `members after data are read by the second reading`(order: [Int]) throws {
    let line = String(decoding: Self.lines[3], as: UTF8.self)
    let seen = try #require(line.firstRange(of: #","seen":[""#))
    let data = try #require(line.firstRange(of: #","data":"#))
    let members: [Substring] = [
      line[seen.lowerBound..<data.lowerBound], line[data.lowerBound...].dropLast(26), #","x":1"#,
    ]
    let covered = line[..<seen.lowerBound] + order.map { members[$0] }.joined()
    let before = try #require(LineChecksum(text: Self.lines[3].dropLast(2).suffix(16))).before
    var lines = Self.lines
    lines[3] = sealed(Array(covered.utf8), after: before)
    let snapshot = try snapshot(lines)
    #expect(snapshot.damage == [])
    #expect(snapshot.conflicts.map(\.base) == [.some("base")])
  }

  @Test func `a line with invalid UTF-8 is skipped by the second reading`() throws {
    var lines = Self.lines
    lines[1][lines[1].count - 32] = 0xFF
    let damaged = try snapshot(lines)
    #expect(damaged.damage.contains { $0.code == .line(.invalidUTF8) })
    #expect(damaged.conflicts.map(\.base) == [nil])
  }
}
