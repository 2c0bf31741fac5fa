import EventLog
import EventLogTesting
import Testing

@testable import EventLogFuzzing

/// Replays the fuzzing corpora in each test run.
@Suite(.tags(.random)) struct FuzzCorpusTests {
  private static let folder = Path.join(Path.folder(of: #filePath), "Corpora")

  private static func inputs(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = Path.join(Self.folder, target.rawValue)
    return try SystemFileSystem().contents(of: folder).sorted().map { name in
      (
        name,
        try SystemFileSystem().contents(ofFile: Path.join(folder, name), maximumBytes: 1 << 20)
      )
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `every input of a corpus passes its check`(target: FuzzTarget) async throws {
    let inputs = try Self.inputs(target)
    #expect(inputs.count > 10)
    for input in inputs {
      do { try await target.check(input.bytes) } catch {
        Issue.record("\(target.rawValue)/\(input.name): \(error)")
      }
    }
  }

  /// Without matching checksums, all mutated lines would be refused unread.
  @Test func `a mutated line and its successors get matching checksums`()
    throws
  {
    var device = HandmadeDevice("phone-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event(), device.event(seeing: [device.tip])]
    let input = Array(lines.joined(separator: [0x0A])) + [0x0A]
    var changedCount = 0
    for seed in RandomRounds(200) {
      var mutation = StructuredMutation(seed: seed, bytesMax: 4096) { bytes, most in
        Array((bytes + Array("x".utf8)).prefix(most))
      }
      let output = mutation.mutated(input)
      if output == input { continue }
      changedCount += 1
      for line in output.split(separator: 0x0A).map(Array.init) {
        guard let tail = sealedTail(of: line) else { continue }
        let covered = Array(line.dropLast(sealedTailBytes))
        #expect(LineChecksum.of(covered: covered, after: tail.before) == tail)
      }
    }
    #expect(changedCount > Rounds.of(100))
  }

  @Test func `a mutated message of lines gets matching counts`() {
    var device = HandmadeDevice("phone-aaaaaaaa")
    let lines = [device.join(user: "ada"), device.event()]
    let text = Array(lines.joined(separator: [0x0A])) + [0x0A]
    let wrong = Array(#"{"lines":{"count":7,"bytes":1}}"#.utf8) + [0x0A] + text
    let right = Array(#"{"lines":{"count":2,"bytes":\#(text.count)}}"#.utf8) + [0x0A] + text
    #expect(StructuredMutation.repaired(wrong, 4096) == right)
  }

  // MARK: - JSON of other parsers

  @Test(arguments: [
    #"{"a":1,"a":2}"#, "[1,]", #"{"a":[1,],}"#, "\u{FEFF}{}", "1e999", #"{"é":1,"e\u0301":2}"#,
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "[1", "",
    #"["\ud800"]"#, #"{"\ufeffa":"\ufeffb"}"#, "[-0, 1.5e-3, 18446744073709551616]",
  ])
  func `JSON that Foundation reads differently is a known difference`(text: String) throws {
    try JSONAgreement.check(Array(text.utf8))
  }
}
