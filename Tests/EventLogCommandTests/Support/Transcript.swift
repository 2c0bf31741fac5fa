import Testing

/// Commands and their expected output, as on a terminal.
///
/// A line that begins with `$ ` is a shell command, which lines that begin with `> ` continue. The
/// lines up to the next command are its output, except for these:
///
/// - `! text` is a line on standard error, if the streams are separate.
/// - `? 2` is the exit code. Without it, the exit code is 0.
/// - `…` stands for any lines or none.
///
/// ``LineComparison`` compares the output.
struct Transcript {
  struct Step {
    var command: String
    /// The line number of the command, from 1.
    var line: Int
    var output: [String] = []
    var errors: [String] = []
    var code: Int32 = 0
  }

  private(set) var steps: [Step] = []

  /// - Parameter telling: Whether `! ` and `? ` are special. Otherwise, they are output.
  init(_ text: some StringProtocol, from firstLine: Int = 1, parsesMarkers: Bool) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard !steps.isEmpty || line.hasPrefix("$ ") else { continue }
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), line: firstLine + index))
        continue
      }
      let last = steps.count - 1
      if line.hasPrefix("> "), steps[last].output.isEmpty, steps[last].errors.isEmpty {
        steps[last].command += "\n" + line.dropFirst(2)
      } else if parsesMarkers, line.hasPrefix("! ") {
        steps[last].errors.append(String(line.dropFirst(2)))
      } else if parsesMarkers, line.hasPrefix("? "), let code = Int32(line.dropFirst(2)) {
        steps[last].code = code
      } else {
        steps[last].output.append(String(line))
      }
    }
    // Empty lines before the next command only separate it.
    for index in steps.indices {
      while steps[index].output.last?.isEmpty ?? false { steps[index].output.removeLast() }
    }
  }

  /// The `console` blocks of a Markdown text, each with the number of its first line.
  static func consoleBlocks(of markdown: String) -> [(text: String, line: Int)] {
    var blocks: [(text: String, line: Int)] = []
    var open: (lines: [Substring], line: Int)?
    let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if open != nil, line.hasPrefix("```") {
        blocks.append((open!.lines.joined(separator: "\n"), open!.line))
        open = nil
      } else if open != nil {
        open!.lines.append(line)
      } else if line.hasPrefix("```console") {
        open = ([], index + 2)
      }
    }
    return blocks
  }
}

extension Workplace {
  /// Runs a transcript, and records an issue for each command with a different result.
  func follow(
    _ text: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var comparison = LineComparison()
    let transcript = Transcript(text, parsesMarkers: true)
    #expect(!transcript.steps.isEmpty, sourceLocation: location)
    for step in transcript.steps {
      let run = try shell(step.command)
      var complaints: [String] = []
      if run.isSignalled || run.code != step.code {
        complaints.append("exit code \(run.code) instead of \(step.code)")
      }
      if !comparison.accepts(lines(of: run.output), as: step.output) {
        complaints.append("other output")
      }
      if !comparison.accepts(lines(of: run.errors), as: step.errors) {
        complaints.append("other errors")
      }
      if !complaints.isEmpty {
        Issue.record(
          """
          line \(step.line): \(complaints.joined(separator: ", "))
          $ \(step.command)
          \(run.text)
          --- standard error
          \(run.errorText)
          --- exit \(run.code)
          """, sourceLocation: location)
      }
    }
  }

  /// Runs the console blocks of a Markdown text in order, in one folder, with merged streams.
  ///
  /// - Returns: The number of commands.
  func follow(
    markdown: String, in folder: String, _ location: SourceLocation = #_sourceLocation
  ) throws -> Int {
    var comparison = LineComparison()
    var count = 0
    var code: Int32 = 0
    for block in Transcript.consoleBlocks(of: markdown) {
      for step in Transcript(block.text, from: block.line, parsesMarkers: false).steps {
        count += 1
        let run = try shell(step.command, in: folder, after: code, merging: true)
        code = run.code
        if run.isSignalled || !comparison.accepts(lines(of: run.output), as: step.output) {
          Issue.record(
            "line \(step.line): other output (exit \(run.code))\n$ \(step.command)\n\(run.text)",
            sourceLocation: location)
        }
      }
    }
    return count
  }

  private func lines(of bytes: [UInt8]) -> [String] {
    var lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }
}
