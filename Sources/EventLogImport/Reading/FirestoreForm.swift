import EventLog

/// Firestore's REST form of documents, in which each value states its type.
///
/// A document is `{"name": ".../habits/id", "fields": {"title": {"stringValue": "Run"}}}`.
enum FirestoreForm {
  /// Returns the fields of a document with plain values, and its ID as `id` unless a field has that
  /// name; nil if it's no document.
  static func row(
    _ document: [(name: String, value: SourceTree)]
  ) -> [(name: String, value: SourceTree)]? {
    guard case .json(.string(let path))? = document.first(where: { $0.name == "name" })?.value
    else { return nil }
    var fields: [(name: String, value: SourceTree)] = []
    // A document without fields has no such member.
    if let member = document.first(where: { $0.name == "fields" }) {
      guard case .members(let typed) = member.value else { return nil }
      for (name, value) in typed {
        guard let plain = plain(value) else { return nil }
        fields.append((name, plain))
      }
    }
    if !fields.contains(where: { $0.name == "id" }) {
      fields.append(
        ("id", .json(.string(path.split(separator: "/").last.map(String.init) ?? path))))
    }
    return fields
  }

  /// Returns a value without its type, or nil if it has none or an unknown one.
  private static func plain(_ tree: SourceTree) -> SourceTree? {
    guard case .members(let members) = tree, members.count == 1 else { return nil }
    let (type, value) = members[0]
    switch (type, value) {
    case ("integerValue", .json(.string(let text))):
      return Int64(text).map { .json(.number(JSONNumber($0))) }
    case ("stringValue", _), ("booleanValue", _), ("timestampValue", _), ("doubleValue", _),
      ("integerValue", _), ("nullValue", _), ("referenceValue", _), ("bytesValue", _),
      ("geoPointValue", _):
      return value
    case ("arrayValue", .members(let array)):
      guard let values = array.first(where: { $0.name == "values" })?.value else {
        return .list([])
      }
      guard case .list(let items) = values else { return nil }
      var plainItems: [SourceTree] = []
      for item in items {
        guard let plain = plain(item) else { return nil }
        plainItems.append(plain)
      }
      return .list(plainItems)
    case ("mapValue", .members(let map)):
      guard let fields = map.first(where: { $0.name == "fields" })?.value else {
        return .members([])
      }
      guard case .members(let typed) = fields else { return nil }
      var plainFields: [(name: String, value: SourceTree)] = []
      for (name, value) in typed {
        guard let plain = plain(value) else { return nil }
        plainFields.append((name, plain))
      }
      return .members(plainFields)
    default: return nil
    }
  }
}
