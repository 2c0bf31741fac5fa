import EventLog

/// The rows of fields that two journals show otherwise.
///
/// Each field takes one; what is on one side only takes one with all its fields and days.
struct DifferenceRows {
  private(set) var rows: [[String]] = []
  /// What is on one side only, while its fields pass.
  private var whole: (field: JournalDifference.Field, fieldCount: Int)?

  init(of fields: [JournalDifference.Field]) {
    for field in fields { add(field) }
    finishWhole()
  }

  private mutating func add(_ field: JournalDifference.Field) {
    if let entity = whole?.field.entity,
      field.entity == entity || field.entity.hasPrefix("\(entity)@")
    {
      whole?.fieldCount += 1
      return
    }
    finishWhole()
    if field.field == "presence", field.left == nil || field.right == nil {
      whole = (field, 0)
    } else {
      rows.append([Table.cell(field.entity), Table.cell(field.field)] + Self.texts(field))
    }
  }

  private mutating func finishWhole() {
    guard let (field, count) = whole else { return }
    whole = nil
    let what = count == 0 ? "presence" : "presence, \(plural(count, "field"))"
    rows.append([Table.cell(field.entity), what] + Self.texts(field))
  }

  /// What shows on either side.
  private static func texts(_ field: JournalDifference.Field) -> [String] {
    [field.left, field.right].map { $0.map(EntityTable.text) ?? "–" }
  }
}
