/// A field of a collection, and the property that shows it.
public struct RecordField<Root: Sendable>: Sendable {
  /// The name of the field in events and snapshots: 1–64 of the characters `A–Z a–z 0–9 . _ -`.
  public let name: String
  /// The property that shows the field.
  public let path: any PartialKeyPath<Root> & Sendable
  /// A short description that `eventlog types` prints.
  public let note: String
  /// Evaluated late: the rule of a link requires the other schema, which may link back to this one.
  private let mechanism: @Sendable () -> FieldSchema.Mechanism
  /// Evaluated late, for the same reason.
  private let memberRule: @Sendable () -> ValueRule
  /// The texts of the enum that is the type of the property or of its elements.
  private let cases: [String]
  /// Whether a write applies from a day on.
  private let isDated: Bool
  /// The earlier names, the latest first.
  private var supersedes: [SupersededField] = []
  /// Stores a field's value in the property, or leaves the property unchanged and returns false if
  /// the value doesn't fit.
  let read: @Sendable (JSONValue, inout Root) -> Bool
  /// Whether the property contains all of a value that was read.
  private let contains: @Sendable (JSONValue, Root) -> Bool
  /// The changes that lead from one value of the property to another.
  let changes:
    @Sendable (_ old: Root, _ new: Root, _ occasion: Occasion) throws(EventLogError) ->
      [FieldChange]

  /// Whether the property of a new record equals a field that was never written.
  ///
  /// A counter must have no value, and a set must be empty. A register can have any value.
  let beginsBlank: @Sendable (Root) -> Bool

  /// The reason why the field couldn't write the property of a new record, or `nil` if it could.
  ///
  /// The rule matters only for a register.
  let flaw: @Sendable (_ blank: Root, _ rule: ValueRule) -> RegisterFlaw?

  /// Copies the property from one record to another.
  let copy: @Sendable (_ source: Root, _ target: inout Root) -> Void

  /// The operation that changes a property.
  enum Occasion {
    case creation, edit
    /// An edit that writes a register even if its property doesn't change.
    case rewriting
  }

  /// The declaration of the field without the property.
  public var schema: FieldSchema {
    var schema = FieldSchema(
      name, mechanism(), note: note, memberRule: memberRule(), cases: cases, isDated: isDated,
      supersedes: supersedes)
    // The field of an enum may have a rule that takes no cases.
    if !schema.takesCases { schema.cases = [] }
    return schema
  }

  /// Does the same as ``read``, and returns whether the property contains all of the value.
  ///
  /// A value of a `Codable` type is encoded again.
  func readFully(_ value: JSONValue, _ root: inout Root) -> Bool {
    read(value, &root) && contains(value, root)
  }

  // MARK: - Declaring

  /// Returns a register: a field with a single value.
  ///
  /// The latest write is shown. Concurrent writes of different values are a conflict.
  ///
  /// - Parameters:
  ///   - name: The name of the field: 1–64 of the characters `A–Z a–z 0–9 . _ -`. It stays in the
  ///     journal forever; you can rename the property.
  ///   - path: The property that shows the field.
  ///   - rule: The rule for the field's values, or `nil` for the rule of the property's type.
  ///   - note: A short description that `eventlog types` prints.
  ///   - isDated: Whether a write applies from a day on: see ``FieldSchema/isDated``.
  public static func register<Value: JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ rule: ValueRule? = nil,
    note: String = "", isDated: Bool = false
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, rule: rule ?? Value.valueRule,
      read: { Value(json: $0) },
      contains: { (json, value) in
        json == .null || value is String || isRounding(value) || json.isKept(in: value.json)
      },
      spell: { (value) throws(EventLogError) in
        let json = value.json
        guard json == .null, !isNothing(value) else { return json }
        // As `null`, it would silently erase the value.
        throw .noJSON(name, Value.valueRule, isOptional: value is any OptionalValue)
      },
      cases: Value.caseTexts, isDated: isDated)
  }

  /// Returns the same register, which also shows what was written under an earlier name.
  ///
  /// Add the names of several versions from the latest to the oldest. See ``SupersededField``.
  ///
  /// - Parameters:
  ///   - name: The earlier name, which no field may have.
  ///   - conversion: The conversion of a value to the next name.
  ///   - writing: The conversion back with which each write also writes the earlier name, for
  ///     devices with an older version; or `nil` not to write it.
  public func superseding(
    _ name: String, _ conversion: ValueConversion = .same, writing: ValueConversion? = nil
  ) -> RecordField {
    var field = self
    field.supersedes.append(SupersededField(name, conversion, writing: writing))
    return field
  }

  /// Whether a value, or its raw value, is a `Float`, which rounds the numbers that it shows.
  private static func isRounding(_ value: Any) -> Bool {
    if let raw = value as? any RawRepresentable { return isRounding(raw.rawValue) }
    return value is Float
  }

  /// Whether `null` is the value itself, not a failed conversion.
  private static func isNothing(_ value: Any) -> Bool {
    if let optional = value as? any OptionalValue { return optional.isNil }
    return value is JSONValue
  }

  /// A register with the given conversions.
  ///
  /// - Parameter contains: Whether a value that was read contains all of the JSON.
  init<Value>(
    name: String, path: any WritableKeyPath<Root, Value> & Sendable, note: String,
    rule: @autoclosure @escaping @Sendable () -> ValueRule,
    read: @escaping @Sendable (JSONValue) -> Value?,
    contains: @escaping @Sendable (JSONValue, Value) -> Bool,
    spell: @escaping @Sendable (Value) throws(EventLogError) -> JSONValue, cases: [String] = [],
    isDated: Bool = false
  ) {
    self.init(
      name: name, path: path, note: note, mechanism: { .register(rule()) },
      read: { json, root in
        guard let value = read(json) else { return false }
        root[keyPath: path] = value
        return true
      },
      contains: { json, root in contains(json, root[keyPath: path]) },
      changes: { (old, new, occasion) throws(EventLogError) in
        let value = try spell(new[keyPath: path])
        if case .rewriting = occasion { return [.write(field: name, value)] }
        return try spell(old[keyPath: path]) == value ? [] : [.write(field: name, value)]
      },
      flaw: { blank, rule in
        if RegisterFlaw.hasOptionalElements(Value.self), rule.isList { return .optionalElements }
        guard let value = try? spell(blank[keyPath: path]), rule.accepts(value) else {
          return .unwritableDefault(rule)
        }
        return nil
      },
      cases: cases, isDated: isDated)
  }

  init<Value>(
    name: String, path: any WritableKeyPath<Root, Value> & Sendable, note: String,
    mechanism: @escaping @Sendable () -> FieldSchema.Mechanism,
    read: @escaping @Sendable (JSONValue, inout Root) -> Bool,
    contains: @escaping @Sendable (JSONValue, Root) -> Bool = { _, _ in true },
    changes:
      @escaping @Sendable (Root, Root, Occasion) throws(EventLogError) -> [FieldChange],
    beginsBlank: @escaping @Sendable (Root) -> Bool = { _ in true },
    flaw: @escaping @Sendable (Root, ValueRule) -> RegisterFlaw? = { _, _ in nil },
    memberRule: @escaping @Sendable () -> ValueRule = { .text }, cases: [String] = [],
    isDated: Bool = false
  ) {
    (self.name, self.path, self.note, self.mechanism) = (name, path, note, mechanism)
    (self.read, self.contains) = (read, contains)
    (self.changes, self.beginsBlank) = (changes, beginsBlank)
    (self.flaw, self.memberRule, self.cases) = (flaw, memberRule, cases)
    self.isDated = isDated
    copy = { source, target in target[keyPath: path] = source[keyPath: path] }
  }

  /// Returns a set: a field whose members are added and removed one by one.
  ///
  /// Additions win: a member stays in the set if it is concurrently added and removed. Sets never
  /// have conflicts.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - path: The property that shows the field. It must begin empty. Its elements must be
  ///     represented as strings in JSON: a store doesn't open with a set of numbers, and an edit
  ///     that adds any other element throws `invalidEvent`. Stored members that don't fit the
  ///     element type are kept, but not shown.
  ///   - note: A short description that `eventlog types` prints.
  public static func members<Element: Hashable & JSONConvertible>(
    _ name: String, _ path: any WritableKeyPath<Root, Set<Element>> & Sendable, note: String = ""
  ) -> RecordField {
    RecordField(
      name: name, path: path, note: note, mechanism: { .members },
      read: { json, root in
        // Members are written one by one, so a write replaces none that isn't shown.
        if case .array(let values) = json {
          root[keyPath: path] = Set(values.compactMap { Element(json: $0) })
        }
        return true
      },
      changes: { (old, new, _) throws(EventLogError) in
        let before = old[keyPath: path]
        let after = new[keyPath: path]
        let included = try texts(after.subtracting(before))
        let excluded = try texts(before.subtracting(after))
        return (included.isEmpty ? [] : [.include(field: name, included)])
          + (excluded.isEmpty ? [] : [.exclude(field: name, excluded)])
      },
      beginsBlank: { $0[keyPath: path].isEmpty },
      flaw: { _, _ in
        Element.valueRule.acceptsSomeText ? nil : .membersWithoutText("\(Element.self)")
      },
      memberRule: { Element.valueRule == .any ? .text : Element.valueRule },
      cases: Element.caseTexts)
  }

  /// The members as text; throws for any other member, which would be lost silently.
  private static func texts<Element: JSONConvertible>(
    _ elements: Set<Element>
  ) throws(EventLogError) -> [String] {
    var texts: [String] = []
    for element in elements { texts.append(try element.memberText()) }
    return texts.sorted { $0.precedes($1) }
  }
}

private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate var isNil: Bool { self == nil }
}

extension EventLogError {
  /// The error for a value that would be written as `null`, although it isn't `nil`.
  fileprivate static func noJSON(
    _ field: String, _ rule: ValueRule, isOptional: Bool
  ) -> EventLogError {
    if rule == .time {
      return EventLogError(
        .invalidEvent,
        "\"\(field)\" was given a date outside the years 0000 to 9999. Nothing was written.",
        hint: "Use a date in these years.")
    }
    return EventLogError(
      .invalidEvent,
      "\"\(field)\" was given a value that JSON cannot represent, such as NaN. Nothing was"
        + " written.",
      hint: isOptional ? "Use another value." : "Use another value, or make the property optional.")
  }
}
