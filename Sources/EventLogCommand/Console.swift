import EventLog

/// The output of a verb: results to standard output, everything else to standard error.
final class Console {
  private var output: [UInt8] = []
  let usesColor = Terminal.takesColor
  /// Whether progress is hidden.
  var isQuiet = false
  /// The progress display, shown only on a terminal.
  private(set) lazy var progress = ProgressLine(
    .init(
      isShown: Terminal.isTerminal(2) && !isJSON && !isQuiet
        && Terminal.environment("TERM") != "dumb",
      columns: { Terminal.columns }, write: { try? Terminal.write($0, to: 2) }))
  /// Whether errors and results are JSON.
  var isJSON = false
  /// The options that a printed command must repeat (``Arguments/context``).
  var context: [String] = []

  enum Style: String, CaseIterable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"
    case green = "32"

    var beginning: String { "\u{1B}[\(rawValue)m" }
    static let end = "\u{1B}[0m"
  }

  /// Returns `text` in a style if the output is a terminal that shows colors.
  func styled(_ text: String, _ style: Style) -> String {
    usesColor && !text.isEmpty ? style.beginning + text + Style.end : text
  }

  /// Prints one line, with invisible characters made visible unless the output is JSON.
  func print(_ text: String = "") throws(Terminal.WriteFailure) {
    output += isJSON ? Array(text.utf8) : Array(Visible.line(text, keepingStyles: usesColor).utf8)
    output.append(0x0A)
    if output.count > 1 << 16 { try flush() }
  }

  /// Prints one line that `write` appends, which must contain no invisible characters.
  func printLine(_ write: (inout [UInt8]) -> Void) throws(Terminal.WriteFailure) {
    write(&output)
    output.append(0x0A)
    if output.count > 1 << 16 { try flush() }
  }

  /// Prints a line that arrives in pieces. After a failure, the remaining pieces are discarded.
  func print(
    writing write: (_ body: @escaping ([UInt8]) -> Void) -> Void
  ) throws(Terminal.WriteFailure) {
    var failure: Terminal.WriteFailure?
    write { [self] bytes in
      if failure != nil { return }
      output += bytes
      do throws(Terminal.WriteFailure) { try flush() } catch { failure = error }
    }
    if let failure { throw failure }
    output.append(0x0A)
  }

  func flush() throws(Terminal.WriteFailure) {
    // Output on the same terminal already shows the progress.
    if !output.isEmpty, Terminal.isTerminal(1) { progress.end() }
    defer { output.removeAll(keepingCapacity: true) }
    try Terminal.write(output, to: 1)
  }

  /// Prints one line to standard error.
  func note(_ text: String) {
    progress.aside { try? Terminal.write(Array((Visible.text(text) + "\n").utf8), to: 2) }
  }

  // MARK: - Long work

  /// Returns the journals to read, and shows the progress of reading them.
  func journals(
    _ paths: [String], _ catalog: SchemaCatalog = SchemaCatalog(), user: String?
  ) -> [Journal] {
    showReadingProgress(paths)
    onInterrupt(reporting: "Nothing was changed.")
    return paths.map {
      Journal(path: $0, catalog: catalog, fileSystem: progress.fileSystem, user: user)
    }
  }

  func showReadingProgress(_ paths: [String]) {
    progress.begin(
      "reading " + paths.joined(separator: " and "),
      byteTotal: paths.reduce(0) { $0 + Terminal.size($1) })
  }

  /// Makes an interrupt end the command with an error that reports the progress.
  func onInterrupt(reporting meaning: String) {
    let texts = texts(of: EventLogError(.canceled, "The command was interrupted. \(meaning)"))
    let bytes = Array(texts.map { Visible.text($0) + "\n" }.joined().utf8)
    let progress = progress
    Terminal.onInterrupt {
      progress.aside { try? Terminal.write(bytes, to: 2) }
      Terminal.endByInterruption()
    }
  }

  /// Prints the first damage of a journal, and how to repair it, on one line.
  ///
  /// - Parameter count: The number of problems.
  func warn(ofDamage problem: JournalProblem?, of count: Int = 1, in path: String) {
    guard let problem else { return }
    let word = ShellWord.path(path)
    let remedy =
      switch problem.code {
      case .line, .gap, .cutOff:
        "To fetch it from another copy: eventlog repair \(word) --from OTHER, or eventlog sync"
          + " \(word) OTHER."
      default: "eventlog verify \(word) lists the events that do not count."
      }
    let more = count > 1 ? " And \(count - 1) more: eventlog verify \(word) lists them all." : ""
    let message = Visible.text(problem.message) + more
    note("Warning: \(Visible.text(path)):\(problem.line): \(message) \(remedy)")
  }

  func warn(_ problems: [JournalProblem], of path: String) {
    for problem in problems {
      note("Warning: \(path):\(problem.line): byte \(problem.byte): \(problem.message)")
    }
  }

  /// Notes that `--device` is ignored, because this copy of the journal already has a device ID.
  func noteIgnoredDevice(_ device: DeviceID?, requested name: String?, in path: String) {
    guard let device, let name, DeviceID.fresh(name: name, suffix: "00000000").base != device.base
    else {
      return
    }
    note("Note: --device is ignored: \(path) already writes as \(device), and continues to.")
  }

  /// Notes which collections and event types of the journal aren't declared, because only an app
  /// knows them.
  ///
  /// - Parameters:
  ///   - names: Kinds, and event types of declared kinds.
  ///   - consequence: A sentence about the things that are left out.
  func note(
    undeclared names: [String], in path: String,
    _ consequence: String = "They and their conflicts are not shown"
  ) {
    if names.isEmpty { return }
    note(
      "Note: \(path) also contains \(Self.sort(of: names)) that eventlog does not know"
        + " (\(Self.list(names))). \(consequence); --schema FILE declares them.")
  }

  private static func sort(of names: [String]) -> String {
    names.contains { $0.contains(".") } ? "collections or event types" : "collections"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
  }

  /// Returns "no conflicts", limited to the declared collections if others exist.
  static func noConflicts(exceptIn unknown: [String]) -> String {
    unknown.isEmpty
      ? "no conflicts" : "no conflicts in the \(sort(of: unknown)) that eventlog knows"
  }

  /// - Parameters:
  ///   - subject: The things of undeclared collections that can't be checked.
  ///   - finding: A sentence about the others.
  /// - Throws: `unknownType` if some of them can't be checked.
  static func refuse(
    unknown: [String], in path: String, _ subject: String, _ finding: String
  ) throws(EventLogError) {
    if unknown.isEmpty { return }
    throw EventLogError(
      .unknownType,
      "\(path) contains \(sort(of: unknown)) that eventlog does not know (\(list(unknown))), so"
        + " their \(subject) cannot be checked. \(finding)",
      hint: "Pass --schema FILE, which declares them.", at: .init(file: path))
  }

  func report(_ error: EventLogError) {
    for text in texts(of: error) { note(text) }
  }

  private func texts(of error: EventLogError) -> [String] {
    guard isJSON else {
      return ["Error: \(error.message)"] + (error.hint.map { ["Hint: \($0)"] } ?? [])
    }
    var members: [JSONObject.Member] = [
      .init(name: "code", value: .string(error.code.text)),
      .init(name: "message", value: .string(error.message)),
    ]
    if let file = error.location.file { members.append(.init(name: "file", value: .string(file))) }
    if let line = error.location.line {
      members.append(.init(name: "line", value: .number(JSONNumber(Int64(line)))))
    }
    if let byte = error.location.byte {
      members.append(.init(name: "byte", value: .number(JSONNumber(byte))))
    }
    if let hint = error.hint { members.append(.init(name: "hint", value: .string(hint))) }
    return [JSONValue.sorted([.init(name: "error", value: .sorted(members))]).text]
  }
}

extension JSONValue {
  static func count(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
}
