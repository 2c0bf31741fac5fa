import Foundation

/// The snippets of a page, and the code of a test that they are.
struct CompiledPage {
  /// Each snippet of the page as its lines, without indentation.
  let shown: [[String]]
  /// Each marked part of the test's file, likewise.
  let compiled: [[String]]

  /// - Parameters:
  ///   - name: of the page in `Docs`.
  ///   - test: the path of the test's file, which marks what the page shows.
  init(_ name: String, test: String = #filePath) throws {
    let source = try String(contentsOfFile: test, encoding: .utf8)
    compiled = source.components(separatedBy: "// Docs: begin\n").dropFirst()
      .map { Self.lines($0.components(separatedBy: "// Docs: end")[0]) }
    let page = try String(
      contentsOf: URL(fileURLWithPath: test).deletingLastPathComponent()
        .appendingPathComponent("../../../Docs/\(name)"), encoding: .utf8)
    shown = page.components(separatedBy: "```swift\n").dropFirst()
      .map { Self.lines($0.components(separatedBy: "```")[0]) }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}
