import Testing

/// The parser that the tidy tests rely on.
@Suite struct SwiftSourceTests {
  @Test func `comments and strings are blanked, and interpolations kept`() {
    let source = SwiftSource(
      path: "Sources/EventLog/Events/A.swift",
      text: """
        let a = "x // \\(b + "y" + c(1)) z" // tail "quote"
        /* one /* two */ still */ let d = #"raw \\(e) " \\#(f)"#
        let g = "\\"h" + i
        """)
    let words = source.words.map { "\($0.word):\($0.line)" }
    #expect(
      words == ["let:1", "a:1", "b:1", "c:1", "1:1", "let:2", "d:2", "f:2", "let:3", "g:3", "i:3"])
    #expect(source.layer == "Events")
    #expect(SwiftSource(path: "Sources/EventLogPipe/System/B.swift", text: "").layer == "System")
    #expect(SwiftSource(path: "Sources/EventLogClouds/System/C.swift", text: "").layer == nil)
  }

  @Test func `a string of several lines is one literal`() {
    let quotes = "\"\"\""
    let source = SwiftSource(path: "A.swift", text: "a(\(quotes)\n  \"b\" c\n  \(quotes)) d")
    #expect(source.words.map { "\($0.word):\($0.line)" } == ["a:1", "d:3"])
  }

  @Test func `types at the top level are found, but nested ones aren't`() {
    let source = SwiftSource(
      path: "A.swift",
      text: """
        public struct A { enum B {} }
        extension C { class D {} }
        protocol E {}
        let f = G.self
        """)
    #expect(source.declaredTypes == ["A", "E"])
  }

  @Test func `bodies are measured from their declaration to their last brace`() {
    let source = SwiftSource(
      path: "A.swift",
      text: """
        struct A {
          let b = 1
          func c(
            d: Int
          ) -> Int {
            d
          }
          var e: [Int] {
            [1].map {
              $0 }
          }
        }
        """)
    #expect(source.bodies.map { [$0.firstLine, $0.lastLine] } == [[3, 7], [9, 10], [8, 11]])
  }
}
