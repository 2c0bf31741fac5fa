import EventLog
import EventLogInspection

/// The rows of fields that differ between two journals.
///
/// Each field has one row. An entity or day on one side only has one row for all its fields and
/// days.
struct DifferenceRows {
  /// The rows; for an entity or day on one side only, its `presence` and its number of other
  /// fields.
  private var fields: [(field: JournalDifference.Field, wholeCount: Int?)] = []

  init(of fields: [JournalDifference.Field]) {
    for field in fields { add(field) }
  }

  var count: Int { fields.count }

  /// Returns the first rows, as cells of a table.
  func prefix(_ count: Int) -> [[String]] { fields.prefix(count).map(Self.cells) }

  private mutating func add(_ field: JournalDifference.Field) {
    if let last = fields.last, let count = last.wholeCount,
      field.entity == last.field.entity || field.entity.hasPrefix("\(last.field.entity)@")
    {
      fields[fields.count - 1].wholeCount = count + 1
      return
    }
    let isWhole = field.field == "presence" && (field.left == nil || field.right == nil)
    fields.append((field, isWhole ? 0 : nil))
  }

  private static func cells(
    _ field: JournalDifference.Field, _ wholeCount: Int?
  ) -> [String] {
    var name = Visible.text(field.field)
    if let wholeCount, wholeCount > 0 { name += ", \(plural(wholeCount, "field"))" }
    let values = [field.left, field.right].map { $0.map(EntityTable.text) ?? "–" }
    return [Visible.text(field.entity), name] + values
  }
}
