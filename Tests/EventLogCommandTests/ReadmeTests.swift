import Foundation
import Testing

/// Every ```` ```console ```` block of the two READMEs is executed, in a copy of `SampleLogs`, and
/// prints what the README says. `README.md` runs beside that copy, as from the repository's top,
/// `SampleLogs/README.md` within it. Blocks of one file share a folder and run in their order.
@Suite struct ReadmeTests {
  @Test func `the transcripts of README are what the command prints`() throws {
    try check("README.md", in: ".")
  }

  @Test func `the transcripts of the README of the sample logs are what the command prints`() throws
  {
    try check("SampleLogs/README.md", in: "SampleLogs")
  }

  @Test func `the stories of two devices are what the command prints`() throws {
    try check("Docs/Scenarios.md", in: ".")
  }

  @Test func `the transcript of the page of schemas is what the command prints`() throws {
    let url = BuiltProduct.repository.appendingPathComponent("Docs/Schemas.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    let place = try Workplace()
    // The first block of JSON is the file that the transcript names.
    let file = try #require(text.components(separatedBy: "\n```json\n").dropFirst().first)
    try place.write("plants.json", file.components(separatedBy: "\n```")[0])
    #expect(try place.follow(markdown: text, in: "", #_sourceLocation) == 5)
  }

  private func check(
    _ name: String, in folder: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let url = BuiltProduct.repository.appendingPathComponent(name)
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let place = try Workplace()
    try place.copy(folder: "SampleLogs")
    let count = try place.follow(markdown: text, in: folder, location)
    #expect(count > 0, "\(name) is missing or has no console block", sourceLocation: location)
  }
}
