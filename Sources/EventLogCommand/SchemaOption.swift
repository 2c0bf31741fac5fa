import EventLog
import EventLogCollections

extension OptionSpec {
  static let schema = OptionSpec(
    "schema", "FILE", "know the collections that FILE declares, besides those built in")
}

extension Arguments {
  /// The largest schema file, in bytes.
  private static let schemaBytesMax = 1 << 20

  /// The collections that come with the command, and those of `--schema`.
  ///
  /// A file may declare one of the further built-in kinds anew; the core stays as it is.
  func catalog() throws -> SchemaCatalog {
    guard let path = self["schema"] else { return .bundled }
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(path, limit: Self.schemaBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput, "Could not read the schema \"\(Visible.text(path))\": \(error.reason).",
        at: .init(file: path))
    }
    guard let bytes else {
      throw EventLogError(
        invalidInput: "\(Visible.text(path)): a schema has at most \(Self.schemaBytesMax) bytes.")
    }
    do throws(EventLogError) {
      let core = Set(SchemaCatalog.standard.collections.map(\.kind))
      let kinds = Set(SchemaCatalog.bundled.collections.map(\.kind)).subtracting(core)
      return try SchemaCatalog.bundled.adding(
        CollectionSchema.collections(parsing: bytes), replacing: kinds)
    } catch {
      throw EventLogError(
        error.code, Visible.text("\(path): \(error.message)"), hint: error.hint.map(Visible.text),
        at: .init(file: path, line: nil, byte: error.location.byte))
    }
  }
}
