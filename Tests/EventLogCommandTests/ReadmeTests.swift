import Foundation
import Testing

/// Every ```` ```console ```` block of a page is executed in a copy of `SampleLogs`, and must print
/// what the page says. Pages run beside that copy, as from the repository's top, and
/// `SampleLogs/README.md` within it. The blocks of one page share a folder and run in their order.
@Suite struct ReadmeTests {
  /// The pages with transcripts, as paths from the repository's top.
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
  func `the transcripts of a page are what the command prints`(_ name: String) throws {
    let text = Self.text(name)
    let place = try Workplace()
    try place.copy(folder: "SampleLogs")
    // The first block of JSON in the page on modelling is the file that its transcripts name.
    if name == "Docs/Guides/Modelling.md" {
      let file = try #require(text.components(separatedBy: "\n```json\n").dropFirst().first)
      try place.write("plants.json", file.components(separatedBy: "\n```")[0])
    }
    let folder = name.hasPrefix("SampleLogs/") ? "SampleLogs" : "."
    #expect(try place.follow(markdown: text, in: folder) > 0)
  }

  @Test func `both READMEs have transcripts`() {
    #expect(Self.pages.starts(with: ["README.md", "SampleLogs/README.md"]))
  }
}
