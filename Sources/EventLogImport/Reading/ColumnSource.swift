import EventLog

/// A source of values in a table, with the conventions of its column.
struct ColumnSource {
  var source: FieldSource
  var conventions: ValueReader.Conventions

  /// - Parameters:
  ///   - rows: The rows that are imported.
  ///   - findings: Sentences about conventions that only some values of the column show.
  /// - Throws: `invalidInput` if the values have different meanings in several conventions.
  init(
    _ source: FieldSource, _ mechanism: FieldSchema.Mechanism?, in table: SourceTable,
    rows: [Int], _ settings: ImportSettings, _ findings: inout [String]
  ) throws(EventLogError) {
    self.source = source
    conventions = .init(
      zone: settings.zone, dates: source.dates ?? settings.dates,
      decimalMark: source.decimalMark ?? settings.decimalMark)
    switch ValueReader.conversion(of: source, mechanism) {
    case .day, .time:
      if conventions.dates == nil, source.forms.isEmpty {
        try findOrder(in: table, rows, &findings)
      }
    case .number, .whole:
      if conventions.decimalMark == nil { try findMark(in: table, rows, &findings) }
    case .text, .flag, .any, .members: break
    }
  }

  /// Finds the order of dates that all values of the column fit.
  private mutating func findOrder(
    in table: SourceTable, _ rows: [Int], _ findings: inout [String]
  ) throws(EventLogError) {
    var evidence = ColumnEvidence<DateOrder>()
    for row in rows {
      guard let text = table.writtenText(of: source, in: row),
        let date = WrittenTime(text)?.date, case .unordered = date
      else { continue }
      evidence.add(date.readings, text, row: row)
      if evidence.possible.count == 1 { break }
    }
    if let (row, text) = evidence.question {
      let readings = WrittenTime(text)?.date.readings ?? []
      throw table.refused(
        row, source,
        .unclearOrder(
          readings.filter { evidence.possible.contains($0.convention) }, text, isColumn: true))
    }
    if evidence.possible.count < DateOrder.allCases.count {
      // All dates of the column are the same in the orders that are left.
      conventions.dates = DateOrder.allCases.first(where: evidence.possible.contains)
    }
    guard let (row, text) = evidence.decisive, let order = conventions.dates else { return }
    findings.addOnce(
      "\(table.title): the dates of \(source.columnNames) are in the order \(order.rawValue), as"
        + " \(text.quoted) shows (\(table.location(of: row).name)).")
  }

  /// Finds the decimal mark with which all numbers of the column fit.
  private mutating func findMark(
    in table: SourceTable, _ rows: [Int], _ findings: inout [String]
  ) throws(EventLogError) {
    var evidence = ColumnEvidence<DecimalMark>()
    var needsEvidence = false
    for row in rows {
      guard let text = table.writtenText(of: source, in: row),
        text.utf8.contains(where: { $0 == 0x2C || $0 == 0x2E })
      else { continue }
      // With a point that was found, only commas can have another meaning.
      if evidence.possible == [.point], !text.utf8.contains(0x2C) { continue }
      let readings = WrittenNumber.readings(text)
      evidence.add(readings, text, row: row)
      needsEvidence = needsEvidence || readings.count > 1
      if evidence.possible == [.comma] { break }
    }
    if let (row, text) = evidence.question {
      throw table.refused(
        row, source, .unclearMark(WrittenNumber.readings(text), text, isColumn: true))
    }
    guard let (row, text) = evidence.decisive, let mark = evidence.possible.first else { return }
    conventions.decimalMark = mark
    guard mark == .comma || needsEvidence else { return }
    findings.addOnce(
      "\(table.title): the numbers of \(source.columnNames) have a decimal"
        + " \(mark == .point ? "point" : "comma"), as \(text.quoted) shows"
        + " (\(table.location(of: row).name)).")
  }
}

extension [String] {
  /// Adds a sentence, unless another field with the same column has added it.
  fileprivate mutating func addOnce(_ sentence: String) {
    if !contains(sentence) { append(sentence) }
  }
}

extension FieldSource {
  /// The names of its columns, for a sentence.
  var columnNames: String { columns.map { "\"\($0)\"" }.joined(separator: " and ") }
}

extension SourceTable {
  /// Returns whether the source has a value in a row.
  func holds(_ source: FieldSource, in row: Int) -> Bool {
    source.conditions.allSatisfy { condition in
      text(of: condition.column, in: row).map(condition.texts.contains) ?? false
    }
  }

  /// Returns whether the conditions of a map let a row in.
  func isImported(_ row: Int, by map: TableMap) -> Bool {
    func matches(_ condition: TableMap.Condition) -> Bool {
      condition.matches(text(of: condition.column, in: row) ?? "")
    }
    return map.conditions.allSatisfy(matches) && !map.exceptions.contains(where: matches)
  }

  /// Returns the source's value in a row, or nil if there is none.
  func value(of source: FieldSource, in row: Int) -> SourceTree? {
    switch source.origin {
    case .key: return nil
    case .column(let column): return value(of: column, in: row)
    case .value(let value): return SourceTree(value)
    case .text(let pattern):
      guard case .success(let text) = pattern.text({ text(of: $0, in: row) }) else { return nil }
      return .json(.string(text))
    }
  }

  /// Returns the source's text in a row, or nil if the map assigns a value to it.
  func writtenText(of source: FieldSource, in row: Int) -> String? {
    guard holds(source, in: row), case .json(.string(let text))? = value(of: source, in: row),
      !source.values.contains(where: { $0.text == text })
    else { return nil }
    return text
  }

  func refused(
    _ row: Int, _ source: FieldSource, _ refusal: ValueReader.Refusal
  ) -> EventLogError {
    refused(row, "the value of \(source.columnNames) \(refusal.reason)", hint: refusal.hint)
  }

  func refused(_ row: Int, _ reason: String, hint: String? = nil) -> EventLogError {
    .cannotImport(
      "\(location(of: row)) cannot be imported: \(reason).", hint: hint, file: title,
      line: location(of: row).line)
  }
}
