extension SideFolder {
  /// The names of the schema files, whether or not they can be read, in ascending order.
  package var schemaNames: [SchemaFile.Name] {
    ((try? fileSystem.contents(of: path)) ?? []).compactMap { SchemaFile.Name($0) }.sorted()
  }

  /// The path of a schema file.
  package func file(of name: SchemaFile.Name) -> String { Path.join(path, name.text) }

  /// The schema file with the highest revision that can be read, or nil if there is none.
  package var schema: SchemaFile? {
    for name in schemaNames.reversed() {
      let bytes = try? fileSystem.contents(
        ofFile: file(of: name), maximumBytes: SchemaFile.bytesMax)
      if let schema = bytes.flatMap({ SchemaFile(name, $0) }) { return schema }
    }
    return nil
  }

  /// Saves a schema file atomically, and removes those that it replaces, which include all that
  /// can't be read.
  ///
  /// A file with a higher revision stays, and makes this one unnecessary. A failure is ignored: the
  /// next opening or sync that has the file tries again. Nothing is saved if there is no journal.
  ///
  /// - Parameter replacesEqual: Whether to replace another file of the same revision.
  func keep(_ schema: SchemaFile, replacingSameRevision replacesEqual: Bool) {
    let (names, current, revision) = (schemaNames, self.schema, schema.name.revision)
    let highest = current?.name.revision ?? 0
    guard isBesideJournal, replacesEqual ? revision >= highest : revision > highest,
      current != schema || names.count > 1, (try? make()) != nil,
      (try? fileSystem.replaceFile(at: file(of: schema.name), with: schema.content)) != nil
    else { return }
    for name in names where name != schema.name { try? fileSystem.remove(file(of: name)) }
  }
}
