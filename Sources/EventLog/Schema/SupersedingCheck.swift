/// Checks the earlier names of a collection's fields, whose own names are already checked.
struct SupersedingCheck {
  let collection: CollectionSchema
  /// The maximum number of a field's earlier names.
  private static let countMax = 16

  /// - Throws: `invalidSchema` with the first mistake.
  func check() throws(EventLogError) {
    for (fields, others) in [
      (collection.fields, collection.dayFields), (collection.dayFields, collection.fields),
    ] {
      let taken = Set((fields + others).map(\.name) + others.flatMap(\.supersedes).map(\.name))
        .union(collection.reservedNames)
      for field in fields where !field.supersedes.isEmpty { try check(field, taken) }
    }
  }

  private func check(_ field: FieldSchema, _ taken: Set<String>) throws(EventLogError) {
    guard field.mechanism.isRegister else {
      throw refused(
        field, "supersedes another one, but is not a register",
        hint: "Only registers have earlier names.")
    }
    guard field.supersedes.count <= Self.countMax else {
      throw refused(field, "has more than \(Self.countMax) earlier names")
    }
    if let gap = field.supersedes.firstIndex(where: { $0.writing == nil }),
      field.supersedes[gap...].contains(where: { $0.writing != nil })
    {
      throw refused(
        field, "writes a name before \"\(field.supersedes[gap].name)\", which it doesn't write",
        hint: "Declare \"writing\" for the later name, too.")
    }
    var names: Set<String> = []
    for earlier in field.supersedes {
      guard SchemaCheck.isName(earlier.name) else {
        throw refused(
          field, "supersedes \"\(earlier.name)\", which cannot be the name of a field")
      }
      guard !taken.contains(earlier.name), names.insert(earlier.name).inserted else {
        throw refused(
          field, "supersedes \"\(earlier.name)\", which has another meaning in this collection",
          hint: "Remove the declaration of the earlier field.")
      }
      try check(earlier.conversion, of: field)
      if earlier.conversion != .same, field.mechanism == .register(.any) {
        throw refused(
          field, "takes any value, so a value that can't be converted would not be noticed",
          hint: "Declare its rule.")
      }
      guard let back = earlier.writing else { continue }
      try check(back, of: field)
      for conversion in [earlier.conversion, back] {
        guard case .split = conversion else { continue }
        throw refused(
          field, "writes \"\(earlier.name)\", which it shows only in part",
          hint: "Leave \"writing\" out.")
      }
    }
  }

  private func check(
    _ conversion: ValueConversion, of field: FieldSchema
  ) throws(EventLogError) {
    switch conversion {
    case .same: return
    case .times(let factor, let divisor):
      if factor != 0, divisor != 0 { return }
      throw refused(field, "has a conversion that multiplies or divides by 0")
    case .map(let texts): if !texts.isEmpty { return }
    case .split(let separator, _): if !separator.isEmpty { return }
    }
    throw refused(field, "has an empty conversion")
  }

  private func refused(
    _ field: FieldSchema, _ reason: String, hint: String? = nil
  ) -> EventLogError {
    .refusedSchema(collection.kind, "the field \"\(field.name)\" \(reason)", hint: hint)
  }
}
