/// One field of a collection, and the property of a Swift type that shows it.
public struct RecordField<Root: Sendable>: Sendable {
  /// What events and projections call the field: 1–64 of `A–Z a–z 0–9 . _ -`.
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
  let changes:
    @Sendable (_ old: Root, _ new: Root, _ occasion: Occasion) throws(EventLogError) ->
      [FieldChange]

  /// Whether the property of a new record says what shows where nothing was written: 0 for a
  /// counter, nothing for a set; of a register it may say anything.
  let beginsBlank: @Sendable (Root) -> Bool

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
      name: name, path: path, note: note, rule: rule ?? Value.valueRule,
      read: { Value(json: $0) },
      spell: { (value) throws(EventLogError) in
        let json = value.json
        guard json == .null, !isNothing(value) else { return json }
        // As null it would erase the value without a word.
        throw EventLogError(
          .invalidEvent,
          "\"\(name)\" was given a value that JSON cannot spell, as a number that is none. Nothing"
            + " was written.", hint: "Give it another value, or make the property optional.")
      })
  }

  /// Whether `null` is what a value means.
  private static func isNothing(_ value: Any) -> Bool {
    if let optional = value as? any OptionalValue { return optional.isNil }
    return value is JSONValue
  }

  /// A register whose values are read and spelled so.
  init<Value>(
    name: String, path: any WritableKeyPath<Root, Value> & Sendable, note: String,
    rule: @autoclosure @escaping @Sendable () -> ValueRule,
    read: @escaping @Sendable (JSONValue) -> Value?,
    spell: @escaping @Sendable (Value) throws(EventLogError) -> JSONValue
  ) {
    self.init(
      name: name, path: path, note: note, mechanism: { .register(rule()) },
      read: { json, root in
        if let value = read(json) { root[keyPath: path] = value }
      },
      changes: { (old, new, _) throws(EventLogError) in
        let value = try spell(new[keyPath: path])
        return try spell(old[keyPath: path]) == value ? [] : [.write(field: name, value)]
      })
  }

  private init(
    name: String, path: any PartialKeyPath<Root> & Sendable, note: String,
    mechanism: @escaping @Sendable () -> FieldSchema.Mechanism,
    read: @escaping @Sendable (JSONValue, inout Root) -> Void,
    changes:
      @escaping @Sendable (Root, Root, Occasion) throws(EventLogError) -> [FieldChange],
    beginsBlank: @escaping @Sendable (Root) -> Bool = { _ in true }
  ) {
    (self.name, self.path, self.note, self.mechanism) = (name, path, note, mechanism)
    (self.read, self.changes, self.beginsBlank) = (read, changes, beginsBlank)
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
      },
      beginsBlank: { $0[keyPath: path] == 0 })
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
      },
      beginsBlank: { $0[keyPath: path].isEmpty })
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

private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate var isNil: Bool { self == nil }
}
