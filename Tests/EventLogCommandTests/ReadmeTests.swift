import Foundation
import Testing

/// Runs every ```` ```console ```` block of a page in a copy of `SampleLogs`, and compares the
/// output.
///
/// Pages run next to that copy, as in the repository's root, and `SampleLogs/README.md` runs inside
/// it. The blocks of a page share a folder and run in order.
@Suite struct ReadmeTests {
  /// The pages with transcripts, as paths from the repository's root.
  static let pages: [String] =
    ["README.md", "SampleLogs/README.md"]
    + ["Docs", "Docs/Guides", "Docs/Internals"].flatMap { folder in
      let names =
        (try? FileManager.default.contentsOfDirectory(
          atPath: BuiltProduct.repository.appendingPathComponent(folder).path)) ?? []
      return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }.filter { text($0).contains("\n```console\n") }

  private static func text(_ name: String) -> String {
    let url = BuiltProduct.repository.appendingPathComponent(name)
    return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
  }

  @Test(arguments: ReadmeTests.pages)
  func `the transcripts of a page equal the output of the command`(_ name: String) throws {
    let text = Self.text(name)
    let workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    // The first JSON block of `Modelling.md` is the file that its transcripts use.
    if name == "Docs/Guides/Modelling.md" {
      let file = try #require(text.components(separatedBy: "\n```json\n").dropFirst().first)
      try workplace.write("plants.json", file.components(separatedBy: "\n```")[0])
    }
    let folder = name.hasPrefix("SampleLogs/") ? "SampleLogs" : "."
    #expect(try workplace.follow(markdown: text, in: folder) > 0)
  }

  @Test func `both READMEs have transcripts`() {
    #expect(Self.pages.starts(with: ["README.md", "SampleLogs/README.md"]))
  }
}
