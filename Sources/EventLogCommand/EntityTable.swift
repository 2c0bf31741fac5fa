import EventLog
import EventLogAttachments

/// The entities of a collection, or their days, as rows with a column for each field shown in any
/// of them.
struct EntityTable {
  let collection: CollectionSchema
  let console: Console

  /// The maximum number of columns of a table, beyond which each row lists its own fields.
  private static let columnsMax = 8

  func entities(_ entities: [ProjectedEntity]) -> Table {
    table(
      first: ["key"], names(collection.fields, entities.map(\.fields)),
      entities.map { entity in
        var marks: [String] = []
        if entity.isDeleted { marks.append("deleted") }
        marks += contested(entity.contested)
        return Row(first: [entity.id.key], fields: entity.fields, marks: marks)
      })
  }

  /// Returns a table of all entities' days, sorted by date.
  func days(_ entities: [ProjectedEntity]) -> Table {
    let days = entities.flatMap { entity in entity.days.map { (entity: entity, day: $0) } }
      .sorted { $0.day.day < $1.day.day }
    return table(
      first: ["date", collection.kind], names(collection.dayFields, days.map(\.day.fields)),
      days.map { entity, day in
        Row(
          first: [day.day.description, entity["name"].map(Self.cell) ?? entity.id.key],
          fields: day.fields,
          marks: (entity.isDeleted ? ["deleted"] : []) + contested(day.contested))
      })
  }

  private struct Row {
    var first: [String]
    var fields: [ProjectedField]
    var marks: [String]
  }

  /// Returns the names of the fields shown in any row: first the declared ones, then the others,
  /// sorted by bytes.
  private func names(_ declared: [FieldSchema], _ rows: [[ProjectedField]]) -> [String] {
    let shown = Set(rows.joined().filter { $0.shown != nil }.map { Array($0.name.utf8) })
    let known = declared.map { Array($0.name.utf8) }.filter(shown.contains)
    return (known + shown.subtracting(known).sorted { $0.lexicographicallyPrecedes($1) })
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func table(first: [String], _ names: [String], _ rows: [Row]) -> Table {
    let isTable = first.count + names.count <= Self.columnsMax
    var table = isTable ? Table(first + names.map(Visible.text) + [""]) : Table()
    for row in rows {
      // By bytes, because `==` equates some different names.
      var values: [[UInt8]: String] = [:]
      for field in row.fields { values[Array(field.name.utf8)] = field.shown.map(Self.text) }
      let marks = console.styled(row.marks.joined(separator: "; "), .yellow)
      if isTable {
        table.add(row.first + names.map { Table.cut(values[Array($0.utf8)] ?? "") } + [marks])
      } else {
        let shown = names.compactMap { name in
          values[Array(name.utf8)].map { "\(Visible.text(name))=\($0)" }
        }
        let all = (shown + [marks]).filter { !$0.isEmpty }
        table.add(row.first + [all.joined(separator: "  ")])
      }
    }
    return table
  }

  private func contested(_ names: [String]) -> [String] {
    names.isEmpty ? [] : ["contested: \(names.map(Visible.text).joined(separator: ", "))"]
  }

  /// Returns the name of a file, or else its type, and its size.
  private static func text(_ attachment: Attachment) -> String {
    Visible.text("\(attachment.name ?? attachment.type) (\(attachment.bytes) bytes)")
  }

  /// Returns a value, cut to fit a table.
  static func cell(_ value: JSONValue) -> String { Table.cut(text(value)) }

  /// Returns a value on one line: strings as they are, arrays of strings with commas, and other
  /// values as JSON.
  static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { return Visible.text(text) }
    if let attachment = Attachment(json: value) { return text(attachment) }
    if case .array(let values) = value {
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if texts.count == values.count { return texts.map(Visible.text).joined(separator: ", ") }
      let attachments = values.compactMap(Attachment.init(json:))
      if attachments.count == values.count { return attachments.map(text).joined(separator: ", ") }
    }
    return Visible.text(value.text)
  }
}
