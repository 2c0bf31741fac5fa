import EventLog

/// Unites the values that several rows have for one field.
///
/// Without a rule of the map, the latest one counts, or the last one at the same time. The others
/// aren't written: a repeated import would treat them as changes. An empty value never counts if
/// there is another one.
struct RepeatedValues {
  /// One statement for each field, in the order of the first ones. Statements of rows with the same
  /// key are not united before it is known which entities they are about.
  private(set) var statements: [Statement] = []
  /// Sentences about rows whose values aren't written.
  var remarks: [String] { dropped.map(\.sentence) }

  /// The indexes of the statements.
  private var indexes: [FieldName: Int32] = [:]
  /// The numbers of entities, days and singletons, and of fields.
  private var targets: [TargetName: Int32] = [:]
  private var names: [String: Int32] = [:]
  /// The row of the last statement, which the next one often shares, and its target's number.
  private var last: (row: Statement.Row, target: Int32)?
  private var dropped: [DroppedRow] = []
  private var droppedIndexes: [DroppedName: Int] = [:]

  private struct FieldName: Hashable {
    var target: Int32
    var field: Int32
  }

  /// An entity, day or singleton, without a copy of its name.
  private struct TargetName: Hashable {
    let row: Statement.Row

    static func == (left: TargetName, right: TargetName) -> Bool {
      let (left, right) = (left.row.target, right.row.target)
      return left.day == right.day && left.entity == right.entity && left.kind == right.kind
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(row.target.day)
      // The kind of an entity is the collection's.
      hasher.combine(row.target.entity?.key ?? row.target.kind)
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

  /// Adds a statement.
  mutating func add(_ statement: Statement) throws(EventLogError) {
    if statement.twin == nil { try unite(statement) } else { statements.append(statement) }
  }

  /// Returns one statement for each field, and one for each exact number of a value that counts.
  ///
  /// They aren't kept, so that the caller can release each one.
  mutating func united(
    _ resolved: consuming [Statement]
  ) throws(EventLogError) -> [Statement] {
    if resolved.contains(where: { $0.twin != nil }) {
      for statement in resolved { try unite(statement) }
    } else {
      statements = resolved
    }
    if statements.contains(where: { $0.exact != nil }) {
      let counting = statements
      (statements, indexes) = ([], [:])
      for statement in counting {
        try unite(statement)
        if let exact = statement.ofExact { try unite(exact) }
      }
    }
    defer { (statements, indexes) = ([], [:]) }
    return statements
  }

  private mutating func unite(_ statement: Statement) throws(EventLogError) {
    let next = Int32(statements.count)
    let name = name(of: statement)
    let index = indexes[name, default: next]
    if index < next {
      statements[Int(index)] = try united(statements[Int(index)], statement)
    } else {
      indexes[name] = next
      statements.append(statement)
    }
  }

  private mutating func name(of statement: Statement) -> FieldName {
    var target = Int32(targets.count)
    if let last, last.row === statement.row {
      target = last.target
    } else if let known = targets[TargetName(row: statement.row)] {
      target = known
    } else {
      targets[TargetName(row: statement.row)] = target
    }
    last = (statement.row, target)
    let field = names[statement.field, default: Int32(names.count)]
    names[statement.field] = field
    return FieldName(target: target, field: field)
  }

  private mutating func united(
    _ earlier: Statement, _ later: Statement
  ) throws(EventLogError) -> Statement {
    let isLater = later.at?.milliseconds ?? .min >= earlier.at?.milliseconds ?? .min
    var (kept, other) = isLater ? (later, earlier) : (earlier, later)
    if other.value.isNothing { return kept }
    if kept.value.isNothing { return other }
    if let rule = later.column.several {
      kept.value = try value(rule, kept, other)
    } else if other.column.isOfRow || !other.value.isSame(as: kept.value) {
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
