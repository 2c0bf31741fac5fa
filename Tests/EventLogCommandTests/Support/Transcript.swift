import Testing

/// Commands and what they are expected to say, as a person sees them in a terminal.
///
/// A line that begins with `$ ` is a command, run by the shell; lines that begin with `> ` continue
/// it. The lines up to the next command are its output. Of them
///
/// - `! text` is a line on standard error, where the streams are told apart;
/// - `? 2` says that the command ends with exit code 2; otherwise it ends with 0;
/// - `…` stands for any lines, also none.
///
/// What is different in every run is compared by ``LineComparison``.
struct Transcript {
  struct Step {
    var command: String
    /// The line of the text that the command stands on, from 1.
    var line: Int
    var output: [String] = []
    var errors: [String] = []
    var code: Int32 = 0
  }

  private(set) var steps: [Step] = []

  /// - Parameter telling: whether `! ` and `? ` have their meaning; otherwise all is output.
  init(_ text: some StringProtocol, from firstLine: Int = 1, telling: Bool) {
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
      } else if telling, line.hasPrefix("! ") {
        steps[last].errors.append(String(line.dropFirst(2)))
      } else if telling, line.hasPrefix("? "), let code = Int32(line.dropFirst(2)) {
        steps[last].code = code
      } else {
        steps[last].output.append(String(line))
      }
    }
    // An empty line before the next command only sets it apart.
    for index in steps.indices {
      while steps[index].output.last?.isEmpty ?? false { steps[index].output.removeLast() }
    }
  }

  /// The blocks of a Markdown text that are marked `console`, each with the line it begins on.
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
  /// Runs a transcript and records an issue for every command that says something else.
  func follow(
    _ text: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var comparison = LineComparison()
    let transcript = Transcript(text, telling: true)
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

  /// Runs the console blocks of a Markdown text in their order, in one folder, the streams
  /// together.
  ///
  /// - Returns: how many commands ran.
  func follow(
    markdown: String, in folder: String, _ location: SourceLocation = #_sourceLocation
  ) throws -> Int {
    var comparison = LineComparison()
    var count = 0
    var code: Int32 = 0
    for block in Transcript.consoleBlocks(of: markdown) {
      for step in Transcript(block.text, from: block.line, telling: false).steps {
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
