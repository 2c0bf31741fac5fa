import EventLog
import EventLogCollections
import EventLogInspection

extension OptionSpec {
  static let schema = OptionSpec(
    "schema", "FILE",
    "use the collections in FILE, not in EVENTLOG_SCHEMA or saved by the app")
}

extension Arguments {
  /// The largest schema file, in bytes.
  private static let schemaBytesMax = 1 << 20

  /// The collections that apply to the journals.
  func catalog() throws -> SchemaCatalog { try schema().catalog }

  /// The collections that apply to journals: the bundled ones, and those of `--schema`, of
  /// EVENTLOG_SCHEMA, or of the schema file beside a journal.
  ///
  /// The declared ones take precedence: a bundled collection that contradicts one of them is left
  /// out.
  ///
  /// - Parameter journals: The paths of the journals, or nil for the first operand.
  func schema(of journals: [String]? = nil) throws -> AppliedSchema {
    if let path = self["schema"] {
      return try declared(by: path, hint: "Check the path after --schema.")
    }
    if let path = environmentSchema {
      return try declared(by: path, hint: "Check the path in EVENTLOG_SCHEMA.")
    }
    let sides = (journals ?? Array(operands.prefix(1))).map {
      SideFolder(beside: $0, fileSystem: SystemFileSystem())
    }
    var files: [(file: SchemaFile, side: SideFolder)] = []
    for side in sides {
      if let file = side.schema {
        files.append((file, side))
      } else if let name = side.schemaNames.last {
        schemaNotes.noteUnread(
          side.file(of: name), EventLogError(invalidInput: "The file is damaged."))
      }
    }
    guard let latest = files.max(by: { $0.file.name < $1.file.name }) else {
      return AppliedSchema()
    }
    return described(by: latest.file, in: latest.side)
  }

  /// Whether the app of the first operand's journal has saved its collections, and they apply.
  var hasSavedSchema: Bool {
    guard self["schema"] == nil, environmentSchema == nil, let journal = operands.first else {
      return false
    }
    return SideFolder(beside: journal, fileSystem: SystemFileSystem()).schema != nil
  }

  /// The path in EVENTLOG_SCHEMA, or nil if it is empty.
  private var environmentSchema: String? {
    Terminal.environment("EVENTLOG_SCHEMA").flatMap { $0.isEmpty ? nil : $0 }
  }

  private func declared(by path: String, hint: String) throws -> AppliedSchema {
    try reading(path, hint: hint) { (declared) throws(EventLogError) in
      let schema = try AppliedSchema(declared)
      schemaNotes.noteOmitted(schema.omitted, declared: declared, path)
      return schema
    }
  }

  /// Applies a file that an app has saved, unless it can't be read.
  private func described(by file: SchemaFile, in side: SideFolder) -> AppliedSchema {
    do throws(EventLogError) {
      return try AppliedSchema(try CollectionSchema.collections(parsing: file.content))
    } catch {
      schemaNotes.noteUnread(side.file(of: file.name), error)
      return AppliedSchema()
    }
  }

  /// The collections that the file of an option declares.
  func collections(_ option: String) throws -> [CollectionSchema] {
    guard let path = self[option] else { return [] }
    return try reading(path, hint: "Check the path after --\(option).") {
      (declared) throws(EventLogError) in
      try SchemaCatalog(declared).collections
    }
  }

  /// Reads a schema file, and adds its path to the errors of `body`.
  private func reading<Value>(
    _ path: String, hint: String,
    _ body: ([CollectionSchema]) throws(EventLogError) -> Value
  ) throws -> Value {
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(path, limit: Self.schemaBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput, "Could not read the schema \"\(Visible.text(path))\": \(error.reason).",
        hint: hint, at: .init(file: path))
    }
    guard let bytes else {
      throw EventLogError(
        invalidInput:
          "\(Visible.text(path)): a schema may have at most \(Self.schemaBytesMax) bytes.",
        hint: "Split it into several files, and pass the one that you need.")
    }
    do throws(EventLogError) {
      return try body(try CollectionSchema.collections(parsing: bytes))
    } catch {
      throw EventLogError(
        error.code, Visible.text("\(path): \(error.message)"),
        hint: error.hint.map(Visible.text)
          ?? "For an example of a schema: eventlog types food --declaration",
        at: .init(file: path, line: error.location.line, byte: error.location.byte))
    }
  }
}
