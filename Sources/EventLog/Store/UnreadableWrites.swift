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
  /// The registers with a listed value that an edit would replace, and that a record can't read in
  /// full.
  ///
  /// Such an edit writes them even if their properties don't change.
  ///
  /// - Parameters:
  ///   - from: The first day to which the edit applies.
  ///   - over: The writes that the edit may replace.
  func rewritable<R: Record>(
    _ type: R.Type, _ entity: EntityID?, on day: Day? = nil, from: Day, over: [UnseenWrite]
  ) -> [String] {
    if over.isEmpty { return [] }
    let place = entity.map { id in day.map { "\(id)@\($0)" } ?? id.description } ?? R.schema.kind
    guard let row = row(at: place) else { return [] }
    let fields = Set(over.filter { $0.entity.hasBytes(of: place) }.map { Array($0.field.utf8) })
    return fields.map { String(decoding: $0, as: UTF8.self) }.filter { field in
      replaced(field, row, from).contains { dot, value in
        let isBroken = fold.breaksRule(value, Int(fold.findRegister(row, index(of: field))))
        let write = fold.write(of: field, row, dot, value, ledger)
        return over.contains(write: write)
          && (isBroken || !R.canRead(field, ofDay: day != nil, value))
      }
    }
  }

  /// The values that a write of a register would replace, at least in part.
  private func replaced(_ field: String, _ row: Int32, _ from: Day) -> [(Dot, JSONValue)] {
    let cell = fold.findRegister(row, index(of: field))
    if cell < 0 { return [] }
    return fold.registers.liveValues(Int(cell)).map {
      ($0.dot, JSONValue(canonical: fold.registers.bytes($0)))
    } + fold.datedValues(of: cell, from: from.number, .only)
  }

  private func index(of field: String) -> Int32 {
    fold.fieldNames.find(StringSpelling.spelled(field.utf8)).map { Int32($0) } ?? -1
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
