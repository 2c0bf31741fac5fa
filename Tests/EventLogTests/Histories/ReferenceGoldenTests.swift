import EventLog
import EventLogTesting
import Testing

/// The reference must produce the golden states, so these don't depend on the library alone.
@Suite struct ReferenceGoldenTests {
  @Test(arguments: GoldenTests.names)
  func `the reference projects a golden journal to its golden state`(
    name: String
  ) throws {
    let lines = try FormatFiles.bytes("Golden", name + ".jsonl")
      .split(separator: 0x0A, omittingEmptySubsequences: true).map { Array($0) }
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    var generator = SplitMix64(seed: 1)
    for lines in [lines, lines.reversed(), lines.shuffled(using: &generator), lines + lines] {
      let state = ReferenceState(Reference(lines: lines))
      let found = state.json(without: ["diet", "foods", "meals"]) + [0x0A]
      #expect(String(decoding: found, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }
  }
}
