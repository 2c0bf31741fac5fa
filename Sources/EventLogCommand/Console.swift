import EventLog

/// Where a verb writes: results to standard output, all else to standard error.
final class Console {
  private var output: [UInt8] = []
  let usesColor = Terminal.takesColor
  /// Whether no progress is wanted.
  var isQuiet = false
  /// How far the work is, where a person watches.
  private(set) lazy var progress = ProgressLine(
    .init(
      isShown: Terminal.isTerminal(2) && !isJSON && !isQuiet
        && Terminal.environment("TERM") != "dumb",
      columns: { Terminal.columns }, write: { try? Terminal.write($0, to: 2) }))
  /// Whether errors and results are JSON.
  var isJSON = false
  /// What the command was given that a command which it prints needs as well
  /// (``Arguments/context``).
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

  /// `text` in a style, where the output is a terminal that shows colour.
  func styled(_ text: String, _ style: Style) -> String {
    usesColor && !text.isEmpty ? style.beginning + text + Style.end : text
  }

  /// Prints one line: for a person only what can be seen, whoever wrote it.
  func print(_ text: String = "") throws(Terminal.WriteFailure) {
    output += isJSON ? Array(text.utf8) : Array(Visible.line(text, keepingStyles: usesColor).utf8)
    output.append(0x0A)
    if output.count > 1 << 16 { try flush() }
  }

  /// Prints one line that `write` appends: what is there holds nothing that does not show.
  func printLine(_ write: (inout [UInt8]) -> Void) throws(Terminal.WriteFailure) {
    write(&output)
    output.append(0x0A)
    if output.count > 1 << 16 { try flush() }
  }

  /// Prints a line that comes in pieces; after a failure the rest of it is passed over.
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
    // What is printed on the same terminal shows by itself how far the work is.
    if !output.isEmpty, Terminal.isTerminal(1) { progress.end() }
    defer { output.removeAll(keepingCapacity: true) }
    try Terminal.write(output, to: 1)
  }

  /// Says something beside the result, on one line.
  func note(_ text: String) {
    progress.aside { try? Terminal.write(Array((Visible.text(text) + "\n").utf8), to: 2) }
  }

  // MARK: - Long work

  /// Journals to read, whose reading shows how far it is.
  func journals(
    _ paths: [String], _ catalog: SchemaCatalog = SchemaCatalog(), user: String?
  ) -> [Journal] {
    beginReading(paths)
    onInterrupt(saying: "Nothing was changed.")
    return paths.map {
      Journal(path: $0, catalog: catalog, fileSystem: progress.fileSystem, user: user)
    }
  }

  func beginReading(_ paths: [String]) {
    progress.begin(
      "reading " + paths.joined(separator: " and "),
      byteTotal: paths.reduce(0) { $0 + Terminal.size($1) })
  }

  /// Has a signal end the command with a sentence about what it has done.
  func onInterrupt(saying meaning: String) {
    let texts = texts(of: EventLogError(.cancelled, "The command was interrupted. \(meaning)"))
    let bytes = Array(texts.map { Visible.text($0) + "\n" }.joined().utf8)
    let progress = progress
    Terminal.onInterrupt {
      progress.aside { try? Terminal.write(bytes, to: 2) }
      Terminal.endByInterruption()
    }
  }

  /// Says in one line that something of a journal is damaged or missing, and what brings it back.
  ///
  /// - Parameter count: how much damage there is.
  func warn(ofDamage problem: JournalProblem?, of count: Int = 1, in path: String) {
    guard let problem else { return }
    let word = ShellWord.path(path)
    let cure =
      switch problem.code {
      case .line, .gap:
        "To fetch it from another copy: eventlog repair \(word) --from OTHER, or eventlog sync"
          + " \(word) OTHER."
      default: "eventlog verify \(word) lists the events that do not count."
      }
    let more = count > 1 ? " And \(count - 1) more: eventlog verify \(word) lists them all." : ""
    let message = Visible.text(problem.message) + more
    note("Warning: \(Visible.text(path)):\(problem.line): \(message) \(cure)")
  }

  func warn(_ problems: [JournalProblem], of path: String) {
    for problem in problems {
      note("Warning: \(path):\(problem.line): byte \(problem.byte): \(problem.message)")
    }
  }

  /// Says that `--device` names only a new device, and this copy of the journal has one.
  func note(ofDevice device: DeviceID?, besides name: String?, in path: String) {
    guard let device, let name, DeviceID.fresh(name: name, suffix: "00000000").base != device.base
    else {
      return
    }
    note("Note: --device is ignored: \(path) already writes as \(device), and goes on so.")
  }

  /// Says what a journal holds that nobody has declared here: an app has.
  ///
  /// - Parameter names: kinds, and types of events of a declared kind.
  func note(ofUnknown names: [String], in path: String) {
    if names.isEmpty { return }
    note(
      "Note: \(path) also contains \(Self.sort(of: names)) that eventlog does not know"
        + " (\(Self.list(names))). They and their conflicts are not shown; --schema FILE"
        + " declares them.")
  }

  private static func sort(of names: [String]) -> String {
    names.contains { $0.contains(".") } ? "collections or event types" : "collections"
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
  }

  /// "no conflicts", as far as that is known.
  static func noConflicts(besidesThoseOf unknown: [String]) -> String {
    unknown.isEmpty
      ? "no conflicts" : "no conflicts in the \(sort(of: unknown)) that eventlog knows"
  }

  /// - Throws: `unknownType` where conflicts would not be seen.
  static func refuse(unknown: [String], in path: String) throws(EventLogError) {
    if unknown.isEmpty { return }
    throw EventLogError(
      .unknownType,
      "\(path) contains \(sort(of: unknown)) that eventlog does not know (\(list(unknown))), so"
        + " their conflicts cannot be checked. It found no others.",
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
