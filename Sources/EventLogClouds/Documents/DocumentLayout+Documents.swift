public import EventLog

extension DocumentLayout {
  /// A closure that computes rows that aren't in a section of the snapshot.
  public typealias Rows = @Sendable (Snapshot) -> [JSONObject]

  /// Returns the documents of a state, by path.
  ///
  /// - Throws: `invalidSchema` if the layout doesn't fit the rows: a section or member is missing,
  ///   or two rows have one path.
  package func documents(
    of snapshot: Snapshot, for user: String, computing computed: [String: Rows]
  ) throws(EventLogError) -> [String: PublishedDocument] {
    var documents: [String: PublishedDocument] = [:]
    var sections: [String: [JSONObject]] = [:]
    for (index, rule) in rules.enumerated() {
      let context = Self.ruleName(index, rule.section)
      if sections[rule.section] == nil {
        sections[rule.section] = try rows(rule.section, of: snapshot, computed, at: context)
      }
      for row in sections[rule.section]! where rule.matches(row) {
        let path = try paths[index].path(of: row, user: user, at: context)
        let document = PublishedDocument(path: path, fields: try rule.values(of: row, at: context))
        guard documents.updateValue(document, forKey: path) == nil else {
          throw SchemaReader.refused(
            context, "gives a row the path \"\(SafeText.quote(path))\", which another one has, too",
            hint: "Put what tells rows apart into the path, such as {id} or {date}, and use"
              + " different paths for different entries.")
        }
      }
    }
    return documents
  }

  private func rows(
    _ section: String, of snapshot: Snapshot, _ computed: [String: Rows], at context: String
  ) throws(EventLogError) -> [JSONObject] {
    if let rows = computed[section] { return rows(snapshot) }
    let known = snapshot.catalog.sections + computed.keys.sorted()
    guard snapshot.catalog.sections.contains(section) else {
      throw SchemaReader.refused(
        context, "names an unknown section",
        hint: Suggestion.nearest(to: section, among: known).map { "Did you mean \"\($0)\"?" }
          ?? "The sections are \(known.joined(separator: ", ")).")
    }
    guard let json = try? JSONValue(parsing: snapshot.json(sections: [section])) else { return [] }
    switch json[section] {
    case .array(let values)?:
      return values.compactMap { if case .object(let row) = $0 { row } else { nil } }
    // A singleton without values has no document.
    case .object(let row)?: return row.members.isEmpty ? [] : [row]
    default: return []
    }
  }
}

extension DocumentLayout.Rule {
  fileprivate func matches(_ row: JSONObject) -> Bool {
    conditions.allSatisfy { (row[$0.name] ?? .null) == $0.value }
  }

  fileprivate func values(
    of row: JSONObject, at context: String
  ) throws(EventLogError) -> [String: PublishedDocument.Value] {
    let fields = fields ?? row.members.map { DocumentLayout.Field($0.name, from: $0.name) }
    var values: [String: PublishedDocument.Value] = [:]
    for field in fields {
      guard let value = row[field.member] else { continue }
      values[field.name] = field.isTimestamp ? .timestamp(try time(value, context)) : .json(value)
    }
    return values
  }

  private func time(_ value: JSONValue, _ context: String) throws(EventLogError) -> Timestamp {
    if case .string(let text) = value,
      let time = Timestamp(text) ?? Day(text).flatMap({ Timestamp("\($0)T00:00:00Z") })
    {
      return time
    }
    throw SchemaReader.refused(
      context, "makes a timestamp of a value that is not a date or time",
      hint: "Leave out \"as\" for that field.")
  }
}
