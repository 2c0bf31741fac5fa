extension Record {
  /// Whether a property contains all of a field's value.
  static func canRead(_ field: String, ofDay isOfDay: Bool, _ value: JSONValue) -> Bool {
    func canRead<Root>(_ fields: [RecordField<Root>], _ blank: Root) -> Bool {
      var root = blank
      return fields.first { $0.name.hasBytes(of: field) }?.readFully(value, &root) ?? true
    }
    return isOfDay ? canRead(schema.days, Daily()) : canRead(schema.fields, Self())
  }
}

extension Snapshot {
  /// The fields whose shown values a record can't read in full, and an edit may replace.
  ///
  /// Such an edit writes them even if their properties don't change.
  func rewritable<R: Record>(
    _ type: R.Type, _ entity: EntityID?, on day: Day? = nil, over: [UnseenWrite]
  ) -> [String] {
    if over.isEmpty { return [] }
    let place = entity.map { id in day.map { "\(id)@\($0)" } ?? id.description } ?? R.schema.kind
    guard let row = row(at: place) else { return [] }
    let fields = over.filter { $0.entity.hasBytes(of: place) }.map(\.field)
    let broken = fold.unreadable(row: row, ledger)
    return fields.filter { field in
      broken.contains(field)
        || shown(field, row: row).map { !R.canRead(field, ofDay: day != nil, $0) } ?? false
    }
  }
}

extension [UnseenWrite] {
  /// Whether an element is about the same field and event.
  func contains(write: UnseenWrite) -> Bool {
    contains {
      $0.event == write.event && $0.field.hasBytes(of: write.field)
        && $0.entity.hasBytes(of: write.entity)
    }
  }
}
