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

  /// The bundled collections and those of `--schema`.
  ///
  /// The file takes precedence: a bundled collection that contradicts one of its collections is
  /// left out.
  func catalog() throws -> SchemaCatalog {
    guard let path = self["schema"] else { return .bundled }
    return try reading("schema", path) { (declared) throws(EventLogError) in
      // Check the file alone first, so that its errors don't depend on bundled collections.
      _ = try SchemaCatalog(declared)
      let builtIn = SchemaCatalog.bundled.collections
      let omitted = builtIn.filter { own in declared.contains { $0.contradicts(own) } }
      schemaNotes.noteOmitted(omitted, declared: declared, path)
      return try SchemaCatalog(builtIn.filter { !omitted.contains($0) }).adding(declared)
    }
  }

  /// The collections that the file of an option declares.
  func collections(_ option: String) throws -> [CollectionSchema] {
    guard let path = self[option] else { return [] }
    return try reading(option, path) { (declared) throws(EventLogError) in
      try SchemaCatalog(declared).collections
    }
  }

  /// Reads a schema file, and adds its path to the errors of `body`.
  private func reading<Value>(
    _ option: String, _ path: String,
    _ body: ([CollectionSchema]) throws(EventLogError) -> Value
  ) throws -> Value {
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(path, limit: Self.schemaBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput, "Could not read the schema \"\(Visible.text(path))\": \(error.reason).",
        hint: "Check the path after --\(option).", at: .init(file: path))
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

extension CollectionSchema {
  /// Whether a catalog can't contain both: they differ, but share a kind, a section or a type.
  fileprivate func contradicts(_ other: CollectionSchema) -> Bool {
    if self == other { return false }
    func names(_ collection: CollectionSchema) -> Set<String> {
      let days = collection.presentation.daySection.map { [$0.section] } ?? []
      return Set([collection.kind, collection.section] + days)
    }
    return !names(self).isDisjoint(with: names(other))
      || !Set(events.map(\.type)).isDisjoint(with: other.events.map(\.type))
  }
}
