extension Fold {
  /// Returns the entity of a kind that an ID, a key, a key prefix, or a name identifies.
  ///
  /// If none matches, returns the ID that has the text as its key.
  ///
  /// - Parameter includingDeleted: Whether a deleted entity matches as well as any other.
  /// - Throws: `noEntity` if several match, or if none does and the text is not a valid key.
  /// - Complexity: O(entities).
  package func entity(
    named word: String, kind: String, includingDeleted: Bool
  ) throws(EventLogError) -> EntityID {
    let text = word.hasPrefix("\(kind)/") ? String(word.dropFirst(kind.utf8.count + 1)) : word
    guard !text.isEmpty else {
      throw EventLogError(
        .noEntity, "An empty word does not identify a \(kind). Nothing was written.",
        hint: "Use its key, a key prefix or its name.")
    }
    let found = entities(meantBy: text, kind: kind, includingDeleted: includingDeleted)
    if found.count == 1 { return found.first! }
    if found.count > 1 {
      let keys = found.map(\.key).sorted().firstFew
      throw EventLogError(
        .noEntity,
        "\"\(text)\" matches \(found.count) entities of kind \(kind): \(keys). Nothing was"
          + " written.",
        hint: "Use the whole key.")
    }
    if let exact = EntityID(text), exact.kind != kind { return exact }
    guard let exact = EntityID(kind: kind, key: text) else {
      throw EventLogError(
        .noEntity,
        "No \(kind) has that key or name, and it is not a valid key: a key has 1 to 128 characters"
          + " of A-Z a-z 0-9 . _ ~ -. Nothing was written.",
        hint: entity(nearestTo: text, kind: kind).map { "Did you mean \($0)?" })
    }
    return exact
  }
}
