import EventLogTesting
import Testing

@testable import EventLog

/// Journals with the state that every implementation makes of them.
@Suite struct GoldenTests {
  static let names = (try? FormatFiles.names(in: "Golden", suffix: ".jsonl")) ?? []

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ bytes: [UInt8]) throws -> Journal {
    let disk = SystemFileSystem()
    let file = try disk.open(folder.file("ada.jsonl"), .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
    return Journal(path: folder.file("ada.jsonl"))
  }

  @Test func `every journal has its state beside it, and no state is alone`() throws {
    #expect(Self.names.count >= 21)
    #expect(try FormatFiles.names(in: "Golden", suffix: ".project.json") == Self.names)
  }

  @Test(arguments: names) func `a golden journal projects the bytes beside it`(name: String) throws
  {
    let journal = try write(FormatFiles.bytes("Golden", name + ".jsonl"))
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    #expect(try journal.snapshot().snapshot.json() + [0x0A] == expected)
    #expect(try journal.verify().problems == [])
  }

  /// Order of members, white space, escapes and the ends of lines say nothing.
  @Test(arguments: names) func `a golden journal in other spellings projects the same`(
    name: String
  ) throws {
    var speller = Respeller(FormatRandom.generator("Golden \(name)"))
    let lines = try FormatFiles.bytes("Golden", name + ".jsonl").split(separator: 0x0A)
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    for _ in 0..<FormatRandom.rounds(3) {
      var chains: [DeviceID: UInt32] = [:]
      var bytes: [UInt8] = []
      for line in lines where line.contains(UInt8(ascii: "{")) {
        let tree = try Respeller.tree(of: Array(line.last == 0x0D ? line.dropLast() : line))
        let device = try Respeller.device(of: tree)
        let covered = speller.covered(tree)
        bytes += sealed(covered, after: chains[device] ?? 0)
        chains[device] = LineChecksum.of(covered: covered, after: chains[device] ?? 0).chain
        bytes += [[0x0A], [0x0D, 0x0A], [0x0A, 0x20, 0x09, 0x0A]].randomElement(
          using: &speller.random)!
      }
      let journal = try write(bytes)
      #expect(try journal.verify().problems == [])
      let found = try journal.snapshot().snapshot.json() + [0x0A]
      #expect(String(decoding: found, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }
  }
}
