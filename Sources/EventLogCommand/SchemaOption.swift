import EventLog
import EventLogCollections

extension OptionSpec {
  static let schema = OptionSpec(
    "schema", "FILE", "also use the collections that FILE declares")
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
        invalidInput:
          "\(Visible.text(path)): a schema may have at most \(Self.schemaBytesMax) bytes.")
    }
    do throws(EventLogError) {
      let core = Set(SchemaCatalog.standard.collections.map(\.kind))
      let kinds = Set(SchemaCatalog.bundled.collections.map(\.kind)).subtracting(core)
      let declared = try CollectionSchema.collections(parsing: bytes)
      let known = SchemaCatalog.standard.collections
      if let kind = declared.first(where: { core.contains($0.kind) && !known.contains($0) })?.kind {
        throw EventLogError(
          .invalidSchema, "The collection \"\(kind)\" cannot be used: this kind is built in.",
          hint: "Choose another kind.")
      }
      return try SchemaCatalog.bundled.adding(declared, replacing: kinds)
    } catch {
      throw EventLogError(
        error.code, Visible.text("\(path): \(error.message)"), hint: error.hint.map(Visible.text),
        at: .init(file: path, line: nil, byte: error.location.byte))
    }
  }
}
