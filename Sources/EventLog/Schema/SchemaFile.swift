/// A file that declares the collections of an app: `schema-<revision>-<checksum>.json`.
///
/// It is stored beside the journal and at its remotes, so that tools can read the journal. The app
/// numbers its declarations with revisions, and the highest one counts. The checksum is the CRC-32C
/// of the content.
package struct SchemaFile: Sendable, Hashable {
  /// The name of a schema file.
  package struct Name: Sendable, Hashable, Comparable {
    package let revision: Int
    package let checksum: UInt32

    package init(revision: Int, checksum: UInt32) {
      (self.revision, self.checksum) = (revision, checksum)
    }

    /// Returns nil for other names.
    package init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "schema", parts[2].hasSuffix(".json"),
        let revision = Int(parts[1]), Self.revisions.contains(revision),
        let checksum = ChainDigits.value(parts[2].utf8.dropLast(5))
      else { return nil }
      self.init(revision: revision, checksum: checksum)
      // Other spellings of the number would be other names of the same file.
      if self.text != text { return nil }
    }

    package var text: String { "schema-\(revision)-\(ChainDigits.text(checksum)).json" }

    package static func < (one: Name, other: Name) -> Bool {
      (one.revision, one.checksum) < (other.revision, other.checksum)
    }

    package static let revisions = 1...999_999_999
  }

  package let name: Name
  package let content: [UInt8]

  /// The maximum size of the content, in bytes.
  package static let bytesMax = 262_144

  /// Returns nil if the content is no JSON object, or doesn't match the name.
  package init?(_ name: Name, _ content: [UInt8]) {
    guard content.count <= Self.bytesMax, CRC32C.checksum(content) == name.checksum,
      case .object? = try? JSONValue(parsing: content)
    else { return nil }
    (self.name, self.content) = (name, content)
  }

  /// Whether another file has the same collections, in any order.
  package func declaresSame(as other: SchemaFile) -> Bool {
    if content == other.content { return true }
    func collections(_ file: SchemaFile) -> Set<JSONValue>? {
      guard case .object(let object)? = try? JSONValue(parsing: file.content),
        case .array(let values)? = object["collections"]
      else { return nil }
      return Set(values)
    }
    return collections(self).map { $0 == collections(other) } ?? false
  }

  /// Creates the file of a catalog, or nil if the catalog has no revision or no collections, or its
  /// declarations are too long.
  ///
  /// - Throws: `invalidSchema` if the revision is outside its limits.
  package init?(of catalog: SchemaCatalog) throws(EventLogError) {
    guard let revision = catalog.revision, !catalog.collections.isEmpty else { return nil }
    guard Name.revisions.contains(revision) else {
      throw EventLogError(
        .invalidSchema, "The revision of a schema is from 1 to 999999999, but not \(revision).",
        hint: "Begin with 1, and add 1 in each version of the app that changes a declaration.")
    }
    content = Array(CollectionSchema.file(catalog.collections).text.utf8) + [0x0A]
    if content.count > Self.bytesMax { return nil }
    name = Name(revision: revision, checksum: CRC32C.checksum(content))
  }
}
