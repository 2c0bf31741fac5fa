import EventLog

/// Finds the row that a user means by a name: a singleton, an entity, or a day.
struct RowSearch {
  let fold: Fold
  let path: String
  /// Whether a cut limited the reading to a part of the journal.
  let isPart: Bool
  let isDamaged: Bool

  init(_ state: StateReading, path: String, isPart: Bool = false) {
    fold = state.fold
    self.path = path
    self.isPart = isPart
    isDamaged = state.findings.firstDamage != nil
  }

  /// Returns the row that `text` names.
  ///
  /// - Throws: `noEntity`.
  func row(named text: String) throws(EventLogError) -> Int32 {
    if let row = singleton(text) { return row }
    guard let at = text.lastIndex(of: "@") else {
      return fold.entities[try entity(text)].row
    }
    let name = String(text[..<at])
    guard let day = Day(String(text[text.index(after: at)...])) else {
      // A name may contain an @.
      do throws(EventLogError) { return fold.entities[try entity(text)].row } catch {
        throw refused(error.message, "For a day, use NAME@YYYY-MM-DD with a valid date.")
      }
    }
    if singleton(name) != nil {
      throw refused("There is only one \(name), and it has no days.", "Leave out @\(day).")
    }
    let index = try entity(name)
    let row = fold.dayRow(of: Int32(index), day.number)
    if row >= 0 { return row }
    let nearest = days(of: index).map { fold.rows[Int($0)].day }
      .min { abs($0 - day.number) < abs($1 - day.number) }
    throw refused(
      "Nothing was ever written to \(fold.entityNames.text(index)) on \(day)\(within).",
      nearest.map { "The nearest day with a write is \(Day(number: $0))." })
  }

  private func singleton(_ text: String) -> Int32? {
    // The rows of singletons come first, in the catalog's order.
    fold.catalog.collections.firstIndex { $0.kind == text && $0.isSingleton }.map { Int32($0) }
  }

  private func entity(_ name: String) throws(EventLogError) -> Int {
    let id = EntityID(name)
    let kind = id.flatMap { fold.catalog.collection(kind: $0.kind) == nil ? nil : $0.kind }
    let found =
      name.isEmpty
      ? []
      : fold.entities(
        meantBy: kind == nil ? name : id!.key, kind: kind, includingDeleted: true)
    if found.count > 1 {
      let names = found.map(\.description).sorted().firstFew
      throw refused("\"\(name)\" matches \(found.count) entities: \(names).", "Use the whole key.")
    }
    guard let found = found.first, let index = fold.entityNames.find(found.description) else {
      throw noEntity(name)
    }
    return index
  }

  private func days(of entity: Int) -> [Int32] {
    var found: [Int32] = []
    var row = fold.entities[entity].firstDay
    while row >= 0 {
      found.append(row)
      row = fold.rows[Int(row)].nextDay
    }
    return found
  }

  // MARK: - Errors

  /// Returns the error for a field of an existing row that was never written.
  func noField(_ field: String, of row: Int32) -> EventLogError {
    let known = fold.fieldNames(row: row)
    let isOfDay = fold.rows[Int(row)].day != Fold.Row.noDay
    let newest = fold.catalog.collections[fold.collection(ofRow: row)]
      .readers(of: field, ofDay: isOfDay).first { !$0.isNewest }?.field.name
    let near =
      newest.map { "It is an earlier name of \($0)." }
      ?? Suggestion.nearest(to: field, among: known).map { "Did you mean \($0)?" }
    let kind = name(of: row).prefix { $0 != "/" }
    let types = fold.unknownNames.filter { $0.hasPrefix("\(kind).") }
    if near == nil, !types.isEmpty {
      return refused(
        "No declared event wrote to the field \"\(field)\" of \(name(of: row))\(within). \(path)"
          + " also contains others: \(types.firstFew).", EventLogError.AppHint.undeclaredKind,
        .noField)
    }
    return refused(
      "Nothing was ever written to the field \"\(field)\" of \(name(of: row))\(within).",
      near ?? elsewhere(field, row)
        ?? (known.isEmpty
          ? "None of its fields was ever written." : "Its fields are \(known.firstFew)."),
      .noField)
  }

  /// Returns a hint if the field was written to the entity itself, or to one of its days.
  private func elsewhere(_ field: String, _ row: Int32) -> String? {
    let found = fold.rows[Int(row)]
    guard found.entity >= 0 else { return nil }
    let entity = Int(found.entity)
    func isWritten(_ row: Int32) -> Bool {
      fold.fieldNames(row: row).contains { $0.hasBytes(of: field) }
    }
    if found.day != Fold.Row.noDay {
      return field == "presence" || isWritten(fold.entities[entity].row)
        ? "It is a field of \(fold.entityNames.text(entity)) itself: leave out the day." : nil
    }
    return days(of: entity).filter(isWritten).max {
      fold.rows[Int($0)].day < fold.rows[Int($1)].day
    }
    .map { "It is a field of days, last written for \(name(of: $0))." }
  }

  private func name(of row: Int32) -> String { fold.rowText(of: row) }

  private func noEntity(_ name: String) -> EventLogError {
    let kind = String(name.prefix { $0 != "/" && $0 != "@" })
    let unknown = fold.unknownNames
    let entity = undeclared(named: name)
    if entity == nil, unknown.contains(kind), EntityID(name) != nil {
      return refused(
        "\(path) contains \"\(kind)\", of which no collection is declared, but nothing was ever"
          + " written to \"\(name)\"\(within).", EventLogError.AppHint.undeclaredKind)
    }
    if let held = unknown.contains(kind) ? kind : entity {
      return refused(
        "\(path) contains \"\(held)\", but no such collection is declared, so what was written to"
          + " \"\(name)\" is not known.", EventLogError.AppHint.undeclaredKind)
    }
    let known = fold.entities.indices.filter { fold.entities[$0].row >= 0 }
      .map(fold.entityNames.text)
    let singletons = fold.catalog.collections.filter(\.isSingleton).map(\.kind)
    let near =
      Suggestion.nearest(to: name, among: known + singletons)
      ?? Suggestion.nearest(
        to: name, among: known.map { String($0.drop { $0 != "/" }.dropFirst()) })
    // Entities of undeclared collections have no names here.
    let kinds = unknown.filter { !$0.contains(".") }
    if near == nil, !kinds.isEmpty {
      return refused(
        "There is no \"\(name)\" in the declared collections of \(path)\(within). It also contains"
          + " others: \(kinds.firstFew).", EventLogError.AppHint.undeclaredKind)
    }
    return refused(
      "There is no \"\(name)\" in \(path)\(within).", near.map { "Did you mean \($0)?" })
  }

  /// Returns an entity of an undeclared collection, by its ID, its key or the beginning of either.
  private func undeclared(named name: String) -> String? {
    let key = String(name.prefix { $0 != "@" })
    if key.isEmpty { return nil }
    let names = fold.entities.indices.filter { fold.entities[$0].collection < 0 }
      .map(fold.entityNames.text).sorted()
    if key.contains("/") { return names.first { $0.hasPrefix(key) } }
    return names.first { $0.hasSuffix("/\(key)") }
      ?? names.first { $0.drop { $0 != "/" }.dropFirst().hasPrefix(key) }
  }

  private var within: String { isPart ? " in the selected part of the journal" : "" }

  private func refused(
    _ message: String, _ hint: String?, _ code: EventLogError.Code = .noEntity
  ) -> EventLogError {
    EventLogError(
      code, isDamaged ? "\(message) The journal is damaged: it may be missing." : message,
      hint: hint, at: .init(file: path))
  }
}
