import Foundation
import Testing

/// Rules for every page: its samples compile, its links work, and it is short enough.
@Suite struct PageTests {
  /// The paths of all pages from the top of the repository: the README, then the two folders.
  static let pages: [String] =
    ["README.md", "SampleLogs/README.md"]
    + ["Docs", "Docs/Guides", "Docs/Internals"].flatMap { folder in
      let names =
        (try? FileManager.default.contentsOfDirectory(
          atPath: SourceTree.top.appendingPathComponent(folder).path)) ?? []
      return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: SourceTree.top.appendingPathComponent(path), encoding: .utf8)
  }

  /// The text without fenced blocks.
  private func prose(_ text: String) -> String {
    text.components(separatedBy: "\n```").enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: "\n")
  }

  @Test func `the two folders of documents contain the expected pages`() {
    let names = Self.pages.map { String($0.dropLast(3)) }
    for guide in ["GettingStarted", "Modelling", "Reading", "Conflicts", "Syncing", "Testing"] {
      #expect(names.contains("Docs/Guides/\(guide)"))
    }
    for page in ["Format", "Protocol", "Folder", "Architecture", "Decisions", "Guarantees"] {
      #expect(names.contains("Docs/Internals/\(page)"))
    }
  }

  @Test(arguments: PageTests.pages)
  func `every Swift sample is compiled and run by a test`(_ path: String) throws {
    let page = try CompiledPage(path)
    // A sample may be split in its test, around code that the page doesn't show.
    let shown = Array(page.shown.joined())
    #expect(shown == Array(page.compiled.joined().prefix(shown.count)))
  }

  @Test(arguments: PageTests.pages.filter { $0.contains("/Guides/") })
  func `a guide starts with code or a command`(_ path: String) throws {
    let lines = try Self.text(path).split(separator: "\n").prefix(12)
    #expect(lines.contains { $0 == "```swift" || $0 == "```console" }, "\(path)")
  }

  @Test(arguments: PageTests.pages)
  func `a page has at most 2,500 words`(_ path: String) throws {
    // The format is a specification, and the list of public names is generated.
    if path.hasSuffix("/Format.md") || path.hasSuffix("/Public.md") { return }
    let words = try Self.text(path).split { $0.isWhitespace }.count
    #expect(words <= 2_500, "\(path) has \(words) words")
  }

  @Test(arguments: PageTests.pages)
  func `every link leads to an existing file and heading`(_ path: String) throws {
    for piece in prose(try Self.text(path)).components(separatedBy: "](").dropFirst() {
      let link = piece.prefix { $0 != ")" }
      if link.contains("://") { continue }
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let target =
        parts[0].isEmpty
        ? path
        : URL(fileURLWithPath: "/" + path).deletingLastPathComponent()
          .appendingPathComponent(String(parts[0])).standardized.path.dropFirst().description
      let exists = FileManager.default.fileExists(
        atPath: SourceTree.top.appendingPathComponent(target).path)
      #expect(exists, "\(path): \(link)")
      if parts.count == 2, exists {
        #expect(anchors(try Self.text(target)).contains(String(parts[1])), "\(path): \(link)")
      }
    }
  }

  /// The anchors of a page's headings.
  private func anchors(_ text: String) -> Set<String> {
    Set(
      prose(text).split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        String(
          heading.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || "-_".contains(character)
              ? character : nil
          })
      })
  }
}
