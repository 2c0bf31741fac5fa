import Foundation
import Testing

/// Comments, test names and the subjects of commits are plain English.
@Suite struct ProseTests {
  /// Words that hide the subject of a sentence, or that aren't said of code, and British spellings.
  private static let forbiddenWords = [
    "anew", "behind", "whoever", "nobody", "somebody", "anybody", "cancelled",
    "cancelling", "behaviour", "colour", "neighbour", "favour", "honour", "labelled", "travelled",
    "centre", "catalogue", "artefact", "judgement", "whilst", "recognise",
    "initialise", "normalise", "serialise", "organise", "optimise", "specialise", "summarise",
  ]
  private static let forbiddenPhrases = [
    "take note", "takes note", "let go of", "lets go of", "that which", "no less than", "comes to",
  ]
  /// A sentence has a noun for its subject.
  private static let forbiddenBeginnings = [
    "What", "Who", "Whoever", "Whose", "Where", "Those", "Of", "Per",
  ]

  /// The sentences' words of a line that is a comment, without names of code; else nil.
  private static func comment(_ line: Substring) -> String? {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("//") else { return nil }
    let prose = text.drop { $0 == "/" }.split(separator: "`", omittingEmptySubsequences: false)
    return prose.enumerated().filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }
      .joined(separator: "x")
  }

  /// Complaints about one line of prose.
  private static func complaints(_ text: String, beginsSentence: Bool) -> [String] {
    let lowercase = " \(text.lowercased()) "
    let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
    var found = forbiddenWords.filter(words.contains)
    found += forbiddenPhrases.filter { lowercase.contains(" \($0) ") }
    var sentences = text.split(separator: ". ").map { $0.drop { $0 == " " } }
    if !beginsSentence { sentences = Array(sentences.dropFirst()) }
    for sentence in sentences {
      let first = sentence.prefix { $0.isLetter }
      if forbiddenBeginnings.contains(String(first)) { found.append("\(first) …") }
    }
    return found
  }

  private func report(_ complaints: [String], _ location: SourceLocation = #_sourceLocation) {
    for complaint in complaints {
      Issue.record(Comment(rawValue: complaint), sourceLocation: location)
    }
  }

  @Test func `comments use no forbidden word`() {
    for file in SourceTree.files {
      var endsSentence = true
      for (index, line) in file.lines.enumerated() {
        guard let text = Self.comment(line) else {
          endsSentence = true
          continue
        }
        report(
          Self.complaints(text, beginsSentence: endsSentence).map {
            "\(file.path):\(index + 1): \($0)"
          })
        let end = text.last { $0 != " " }
        endsSentence = end.map { ".:".contains($0) } ?? true
      }
    }
  }

  @Test func `test names use no forbidden word`() {
    for file in SourceTree.files where file.folders.first == "Tests" {
      for (index, line) in file.lines.enumerated() {
        guard let start = line.range(of: "func `"),
          let end = line[start.upperBound...].firstIndex(of: "`")
        else { continue }
        let name = line[start.upperBound..<end]
        let sentence = name.prefix(1).uppercased() + name.dropFirst()
        report(
          Self.complaints(sentence, beginsSentence: true).map {
            "\(file.path):\(index + 1): \($0)"
          })
      }
    }
  }

  @Test func `a complaint names the word, and code in a comment isn't prose`() {
    #expect(Self.complaints("What is left.", beginsSentence: true) == ["What …"])
    #expect(Self.complaints("what is left.", beginsSentence: false).isEmpty)
    #expect(Self.complaints("The end. Where it is", beginsSentence: false) == ["Where …"])
    #expect(Self.complaints("It begins anew", beginsSentence: false) == ["anew"])
    #expect(Self.comment("  /// Calls `Task.isCancelled`.") == " Calls x.")
    #expect(Self.comment("  let x = 1") == nil)
  }
}
