/// A change to a stored property that no field of the schema shows.
///
/// No event would contain the change, so the next reading of the record would lose it.
enum UndeclaredChange {
  /// Checks that the fields account for every difference between two records.
  ///
  /// Properties of types that aren't `Equatable` are not compared.
  ///
  /// - Throws: `invalidEvent` with the name of the property.
  static func refuse<Root>(
    _ fields: [RecordField<Root>], _ old: Root, _ new: Root
  ) throws(EventLogError) {
    var accounted = old
    for field in fields { field.copy(new, &accounted) }
    let (left, right) = (Mirror(reflecting: accounted), Mirror(reflecting: new))
    for (old, new) in zip(left.children, right.children) {
      guard let value = old.value as? any Equatable, differs(value, new.value) else { continue }
      throw EventLogError(
        .invalidEvent,
        "The property \"\(new.label ?? "")\" of \(Root.self) was changed, but its schema has no"
          + " field for it. Nothing was written.",
        hint: "Add the property to the schema, or make it a computed property.")
    }
  }

  private static func differs<Value: Equatable>(_ old: Value, _ new: Any) -> Bool {
    // NaN doesn't equal itself, even if it is unchanged.
    guard let new = new as? Value, old == old, new == new else { return false }
    return old != new
  }
}
