import EventLog

/// Unites the values that several rows have for one field.
struct RepeatedValues {
  /// Sentences about rows whose values aren't written.
  var remarks: [String] { dropped.map(\.sentence) }

  private var statements: [Statement] = []
  private var indexes: [FieldName: Int] = [:]
  private var dropped: [DroppedRow] = []
  private var droppedIndexes: [DroppedName: Int] = [:]

  private struct FieldName: Hashable {
    var kind: String
    var entity: EntityID?
    var day: Day?
    var field: String

    init(_ statement: Statement) {
      let target = statement.target
      (kind, entity, day) = (target.kind, target.entity, target.day)
      field = statement.field
    }
  }

  private struct DroppedName: Hashable {
    var location: SourceLocation
    var kept: SourceLocation
    var target: Statement.Target
  }

  /// A row, some of whose values aren't written.
  private struct DroppedRow {
    var location: SourceLocation
    var kept: SourceLocation
    var day: Day?
    var fields: [String]

    var sentence: String {
      let names = fields.map { "\"\($0)\"" }.joined(separator: " and ")
      let (verb, pronoun) = fields.count == 1 ? ("was", "it") : ("were", "them")
      let other = kept.file == location.file ? kept.name : kept.description
      return "\(location): \(names)\(day.map { " of \($0)" } ?? "") \(verb) left: \(other) has"
        + " \(pronoun) too, and the later one counts. The map can say otherwise: \"several\"."
    }
  }

  /// Returns one statement for each field.
  ///
  /// Without a rule of the map, the latest one counts, or the last one at the same time. The others
  /// aren't written: a repeated import would treat them as changes. An empty value never counts if
  /// there is another one.
  mutating func counting(
    _ repeated: consuming [Statement]
  ) throws(EventLogError) -> [Statement] {
    try unite(consume repeated)
    if statements.contains(where: { $0.exact != nil }) {
      // Only the exact number of a value that counts is written.
      let counting = statements
      (statements, indexes) = ([], [:])
      try unite(counting.flatMap { [$0] + [$0.ofExact].compactMap { $0 } })
    }
    return statements
  }

  private mutating func unite(_ repeated: consuming [Statement]) throws(EventLogError) {
    for statement in repeated {
      let name = FieldName(statement)
      guard let index = indexes[name] else {
        indexes[name] = statements.count
        statements.append(statement)
        continue
      }
      statements[index] = try united(statements[index], statement)
    }
  }

  private mutating func united(
    _ earlier: Statement, _ later: Statement
  ) throws(EventLogError) -> Statement {
    let isLater = later.at?.milliseconds ?? .min >= earlier.at?.milliseconds ?? .min
    var (kept, other) = isLater ? (later, earlier) : (earlier, later)
    if other.value.isNothing { return kept }
    if kept.value.isNothing { return other }
    if let rule = later.several {
      kept.value = try value(rule, kept, other)
    } else if other.isOfRow || !other.value.isSame(as: kept.value) {
      note(other, kept)
    }
    return kept
  }

  private mutating func note(_ statement: Statement, _ kept: Statement) {
    let name = DroppedName(
      location: statement.location, kept: kept.location, target: statement.target)
    if let index = droppedIndexes[name] {
      return dropped[index].fields.append(statement.field)
    }
    droppedIndexes[name] = dropped.count
    dropped.append(
      DroppedRow(
        location: statement.location, kept: kept.location, day: statement.target.day,
        fields: [statement.field]))
  }

  /// Returns the sum or the greater of two numbers, or the later one.
  private func value(
    _ rule: FieldSource.Several, _ kept: Statement, _ other: Statement
  ) throws(EventLogError) -> Statement.Value {
    switch (rule, kept.value, other.value) {
    case (.sum, .count(let one?), .count(let two?)):
      let sum = one + two
      guard Amount.totals.contains(sum) else { throw tooLarge(kept) }
      return .count(sum)
    case (.max, .count(let one?), .count(let two?)): return .count(max(one, two))
    case (.sum, .write(.number(let one)), .write(.number(let two))):
      guard let left = ExactDecimal(one.text), let right = ExactDecimal(two.text),
        let sum = left.adding(right)
      else { throw tooLarge(kept) }
      return .write(.number(JSONNumber(trusted: sum.description)))
    case (.max, .write(.number(let one)), .write(.number(let two))):
      return one.double >= two.double ? kept.value : other.value
    default: return kept.value
    }
  }

  private func tooLarge(_ statement: Statement) -> EventLogError {
    .cannotImport(
      "\(statement.location) cannot be imported: the sum of \"\(statement.field)\" is too large, or"
        + " has too many digits.",
      hint: "Correct the value, or take another rule for \"several\" in the map.",
      file: statement.location.file, line: statement.location.line)
  }
}
