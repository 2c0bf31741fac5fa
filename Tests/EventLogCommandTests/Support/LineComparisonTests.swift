import Foundation
import Testing

/// The differences that transcripts accept, and others that they don't.
@Suite struct LineComparisonTests {
  private func accepts(_ lines: [String], as expected: [String]) -> Bool {
    var comparison = LineComparison()
    return comparison.accepts(lines, as: expected)
  }

  @Test func `equal lines are accepted, and others aren't`() {
    #expect(accepts(["a  b", ""], as: ["a  b", ""]))
    #expect(!accepts(["a b"], as: ["a  b"]))
    #expect(!accepts(["a", "b"], as: ["a"]))
    #expect(!accepts(["a"], as: ["a", "b"]))
    #expect(!accepts([], as: ["a"]))
  }

  @Test func `random characters may differ if they do so consistently`() {
    let expected = ["phone-aaaaaaa2:2  habit/bbbbbbb2", "phone-aaaaaaa2:3  habit/bbbbbbb2"]
    #expect(
      accepts(
        ["phone-ccccccc3:2  habit/ddddddd3", "phone-ccccccc3:3  habit/ddddddd3"], as: expected))
    #expect(
      !accepts(
        ["phone-ccccccc3:2  habit/ddddddd3", "phone-eeeeeee3:3  habit/ddddddd3"], as: expected))
    #expect(
      !accepts(
        ["phone-ccccccc3:2  habit/ccccccc3", "phone-ccccccc3:3  habit/ccccccc3"], as: expected))
    #expect(!accepts([expected[0], "phone-ccccccc3:3  habit/bbbbbbb2"], as: expected))
    #expect(!accepts(["tablet-ccccccc3:2  habit/ddddddd3"], as: [expected[0]]))
    #expect(!accepts(["phone-ccccccc3:4  habit/ddddddd3"], as: [expected[0]]))
  }

  @Test func `the chains of event IDs may differ`() {
    #expect(accepts(["phone-aaaaaaa2:3~01234567"], as: ["phone-aaaaaaa2:3~89abcdef"]))
    #expect(!accepts(["phone-aaaaaaa2:3-01234567"], as: ["phone-aaaaaaa2:3-89abcdef"]))
    #expect(!accepts(["phone-aaaaaaa2:3~01234567"], as: ["phone-aaaaaaa2:3~theme"]))
  }

  @Test func `a word of eight letters is compared exactly`() {
    #expect(!accepts(["settings"], as: ["appended"]))
  }

  @Test func `times of this run may differ from those of the transcript`() {
    let now = Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
    #expect(accepts(["at \(now)"], as: ["at 2026-01-28T09:12:33.123Z"]))
    #expect(accepts([String(now.prefix(10))], as: ["2026-01-28"]))
    #expect(!accepts(["at 2020-01-28T09:12:33.123Z"], as: ["at 2026-01-28T09:12:33.123Z"]))
    #expect(!accepts(["2020-01-28"], as: ["2026-01-28"]))
  }

  @Test func `an ellipsis matches any number of lines`() {
    #expect(accepts(["a", "b", "c"], as: ["a", "…", "c"]))
    #expect(accepts(["a", "c"], as: ["a", "  …", "c"]))
    #expect(!accepts(["a", "b"], as: ["a", "…", "c"]))
  }

  @Test func `console blocks are found with their line numbers`() {
    let markdown = "# A\n```sh\n$ no\n```\n```console\n$ one\nx\n\n$ two \\\n> three\n```\n"
    let blocks = Transcript.consoleBlocks(of: markdown)
    #expect(blocks.map(\.line) == [6])
    let steps = blocks.flatMap { Transcript($0.text, from: $0.line, parsesMarkers: false).steps }
    #expect(steps.map(\.command) == ["one", "two \\\nthree"])
    #expect(steps.map(\.output) == [["x"], []])
    #expect(steps.map(\.line) == [6, 9])
  }
}
