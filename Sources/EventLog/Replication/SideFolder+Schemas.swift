extension SideFolder {
  /// The names of the schema files, in ascending order.
  private var schemaNames: [SchemaFile.Name] {
    ((try? fileSystem.contents(of: path)) ?? []).compactMap { SchemaFile.Name($0) }.sorted()
  }

  /// The name of the schema file with the highest revision, whether or not it can be read.
  package var latestSchemaName: SchemaFile.Name? { schemaNames.last }

  /// The path of a schema file.
  package func file(of name: SchemaFile.Name) -> String { Path.join(path, name.text) }

  /// The schema file with the highest revision, or nil if there is none or it can't be read.
  ///
  /// If two files have this revision, the one with the higher checksum is returned on every device.
  package var schema: SchemaFile? {
    schemaNames.last.flatMap { name in
      let bytes = try? fileSystem.contents(
        ofFile: file(of: name), maximumBytes: SchemaFile.bytesMax)
      return bytes.flatMap { SchemaFile(name, $0) }
    }
  }

  /// Saves a schema file atomically, and removes those that it replaces.
  ///
  /// A file with a higher revision stays, and makes this one unnecessary. After a failure, the next
  /// opening or sync tries again. Nothing is saved if there is no journal.
  ///
  /// - Parameter isOwn: Whether the app of this device declares it. If so, it also replaces another
  ///   file of its revision.
  func keep(_ schema: SchemaFile, asOwn isOwn: Bool) {
    let (names, revision) = (schemaNames, schema.name.revision)
    let highest = names.last?.revision ?? 0
    guard isBesideJournal, isOwn ? revision >= highest : revision > highest,
      names != [schema.name] || self.schema == nil, (try? make()) != nil,
      (try? fileSystem.replaceFile(at: file(of: schema.name), with: schema.content)) != nil
    else { return }
    for name in names where name != schema.name { try? fileSystem.remove(file(of: name)) }
  }
}
