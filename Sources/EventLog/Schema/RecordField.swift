/// One field of a collection, and the property of a Swift type that shows it.
public struct RecordField<Root: Sendable>: Sendable {
  public let name: String
  /// The property.
  public let path: any PartialKeyPath<Root> & Sendable
  /// A clause for a person, shown by `eventlog types`.
  public let note: String
  /// Asked for late: the rule of a link needs the other schema, which may link back to this one.
  private let mechanism: @Sendable () -> FieldSchema.Mechanism
  /// Puts a field's value into the property; leaves it alone if the value does not fit.
  let read: @Sendable (JSONValue, inout Root) -> Void
  /// The changes that lead from one value of the property to another.
  let changes: @Sendable (_ old: Root, _ new: Root, _ occasion: Occasion) -> [FieldChange]

  /// What a property is changed for.
  enum Occasion {
    case creation, edit
  }

  /// The declaration without the property.
  public var schema: FieldSchema { FieldSchema(name, mechanism(), note: note) }

  // MARK: - Declaring

  /// A register: the latest write shows, and concurrent different ones are a conflict.
  ///
  /// - Parameter rule: what its values must be; nil: what follows from the property's type.
  public static func register<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ rule: ValueRule? = nil,
    note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, mechanism: { .register(rule ?? Value.valueRule) },
      read: { json, root in
        if let value = Value(json: json) { root[keyPath: path] = value }
      },
      changes: { old, new, _ in
        let value = new[keyPath: path].json
        return old[keyPath: path].json == value ? [] : [.write(field: name, value)]
      })
  }

  /// A counter: every increment of every device counts once.
  ///
  /// An edit that changes the property adds the difference.
  /// ``EventStore/set(_:of:to:asOf:durability:)`` sets the total.
  public static func counter<Count: FixedWidthInteger & Sendable>(
    _ name: String, _ path: any WritableKeyPath<Root, Count> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, mechanism: { .counter },
      read: { json, root in
        guard case .number(let number) = json, let value = number.integer,
          let count = Count(exactly: value)
        else { return }
        root[keyPath: path] = count
      },
      changes: { old, new, occasion in
        let (before, after) = (old[keyPath: path], new[keyPath: path])
        if before == after { return [] }
        switch occasion {
        case .creation: return [.set(field: name, Int64(clamping: after))]
        case .edit: return [.advance(field: name, difference(from: before, to: after))]
        }
      })
  }

  /// A set: members come in and go out one by one, and never conflict.
  ///
  /// Its elements are spelled as texts; members that spell none are kept and not shown.
  public static func members<Element: Hashable & JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Set<Element>> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, mechanism: { .members },
      read: { json, root in
        guard case .array(let values) = json else { return }
        root[keyPath: path] = Set(values.compactMap { Element(json: $0) })
      },
      changes: { old, new, _ in
        let before = old[keyPath: path]
        let after = new[keyPath: path]
        let included = texts(after.subtracting(before))
        let excluded = texts(before.subtracting(after))
        return (included.isEmpty ? [] : [.include(field: name, included)])
          + (excluded.isEmpty ? [] : [.exclude(field: name, excluded)])
      })
  }

  /// What has to be added; what is too much is clamped, and refused by an append.
  private static func difference<Count: FixedWidthInteger>(
    from before: Count, to after: Count
  ) -> Int64 {
    let (difference, isTooMuch) = Int64(clamping: after)
      .subtractingReportingOverflow(Int64(clamping: before))
    if isTooMuch { return after > before ? .max : .min }
    return difference
  }

  private static func texts<Element: JSONConvertible>(_ elements: Set<Element>) -> [String] {
    elements.compactMap { if case .string(let text) = $0.json { text } else { nil } }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
