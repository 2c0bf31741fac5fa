import EventLog
import EventLogCollections
import EventLogInspection

extension OptionSpec {
  static let schema = OptionSpec(
    "schema", "FILE", "also use the collections that FILE declares")
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
    if let path = Terminal.environment("EVENTLOG_SCHEMA"), !path.isEmpty {
      return try declared(by: path, hint: "Check the path in EVENTLOG_SCHEMA.")
    }
    let files = (journals ?? Array(operands.prefix(1))).compactMap { journal in
      let side = SideFolder(beside: journal, fileSystem: SystemFileSystem())
      return side.latestSchemaName.map { (name: $0, side: side) }
    }
    guard let latest = files.max(by: { $0.name < $1.name }) else { return AppliedSchema() }
    return described(by: latest.name, in: latest.side)
  }

  private func declared(by path: String, hint: String) throws -> AppliedSchema {
    try reading(path, hint: hint) { (declared) throws(EventLogError) in
      let schema = try AppliedSchema(declared)
      schemaNotes.noteOmitted(schema.omitted, declared: declared, path)
      return schema
    }
  }

  /// Applies a file that an app has left, unless it can't be read.
  private func described(by name: SchemaFile.Name, in side: SideFolder) -> AppliedSchema {
    do throws(EventLogError) {
      guard let file = side.schema else { throw EventLogError(invalidInput: "It is damaged.") }
      return try AppliedSchema(try CollectionSchema.collections(parsing: file.content))
    } catch {
      schemaNotes.noteUnread(side.file(of: name), error)
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
