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

  /// The collections that come with the command, and those of `--schema`.
  ///
  /// The file's own win: a built-in collection that contradicts one of them is left out.
  func catalog() throws -> SchemaCatalog {
    guard let path = self["schema"] else { return .bundled }
    let bytes: [UInt8]?
    do throws(Terminal.ReadFailure) {
      bytes = try Terminal.readFile(path, limit: Self.schemaBytesMax)
    } catch {
      throw EventLogError(
        .inputOutput, "Could not read the schema \"\(Visible.text(path))\": \(error.reason).",
        hint: "Check the path after --schema.", at: .init(file: path))
    }
    guard let bytes else {
      throw EventLogError(
        invalidInput:
          "\(Visible.text(path)): a schema may have at most \(Self.schemaBytesMax) bytes.",
        hint: "Split it into several files, and pass the one that you need.")
    }
    do throws(EventLogError) {
      let declared = try CollectionSchema.collections(parsing: bytes)
      // By itself first: what is wrong in the file has nothing to do with what is built in.
      _ = try SchemaCatalog(declared)
      let builtIn = SchemaCatalog.bundled.collections
      let left = builtIn.filter { own in declared.contains { $0.contradicts(own) } }
      schemaNotes.noteLeftOut(left, besides: declared, path)
      return try SchemaCatalog(builtIn.filter { !left.contains($0) }).adding(declared)
    } catch {
      throw EventLogError(
        error.code, Visible.text("\(path): \(error.message)"),
        hint: error.hint.map(Visible.text)
          ?? "For an example of a schema: eventlog types food --declaration",
        at: .init(file: path, line: error.location.line, byte: error.location.byte))
    }
  }
}

/// What is to be said about a schema file, once for each run.
final class SchemaNotes {
  private(set) var text: String?

  /// Says what is not built in any more. Where a file declares one of the further kinds anew, it
  /// needs no word: it may have been made from the built-in one.
  func noteLeftOut(
    _ left: [CollectionSchema], besides declared: [CollectionSchema], _ path: String
  ) {
    let core = SchemaCatalog.standard.collections
    let kinds = left.filter { own in
      core.contains(own) || !declared.contains { $0.kind == own.kind }
    }.map(\.kind)
    if kinds.isEmpty { return }
    text =
      "Note: \(path) takes the place of what is built in as \(kinds.joined(separator: ", "))."
  }
}

extension CollectionSchema {
  /// Whether a catalog cannot hold both: they share a kind, a section or a type, and differ.
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
