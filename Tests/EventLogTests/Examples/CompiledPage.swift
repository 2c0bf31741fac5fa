import Foundation

/// The Swift samples of a page, and the marked code of its test.
///
/// The samples of `Docs/Guides/Reading.md` are in `Examples/ReadingPageTests.swift`, between
/// `// Docs: begin` and `// Docs: end`.
struct CompiledPage {
  /// Each sample of the page, as lines without indentation.
  let shown: [[String]]
  /// Each marked part of the test's file, as lines without indentation.
  let compiled: [[String]]

  /// - Parameter path: the path of the page, from the top of the repository.
  /// - Throws: if the page has no test.
  init(_ path: String) throws {
    let page = SourceTree.top.appendingPathComponent(path)
    shown = try String(contentsOf: page, encoding: .utf8)
      .components(separatedBy: "\n```swift\n").dropFirst()
      .map { Self.lines($0.components(separatedBy: "\n```")[0]) }
    guard !shown.isEmpty else {
      compiled = []
      return
    }
    let name = page.deletingPathExtension().lastPathComponent
    let test = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("\(name == "README" ? "Readme" : name)PageTests.swift"),
      encoding: .utf8)
    compiled = test.components(separatedBy: "// Docs: begin\n").dropFirst()
      .map { Self.lines($0.components(separatedBy: "// Docs: end")[0]) }
  }

  /// The lines without single braces, since a loop that a sample closes may continue in the test.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && $0 != "}" }
  }
}
