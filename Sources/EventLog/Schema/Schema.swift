/// The declaration of a collection, with the property of a Swift type that shows each field.
///
/// Nothing is checked until you add the ``collection`` to a ``SchemaCatalog``, for example by
/// opening a store.
public struct Schema<R: Record>: Sendable {
  /// The kind: the first part of the entities' IDs, or the name of a singleton.
  public let kind: String
  /// The fields of the entity or the singleton, in order of declaration.
  public let fields: [RecordField<R>]
  /// The fields of an entity's days, in order of declaration.
  ///
  /// Empty if entities have no days.
  public let days: [RecordField<R.Daily>]
  private let declare: @Sendable ([FieldSchema], [FieldSchema]) -> CollectionSchema

  /// Creates a schema for a collection of entities.
  ///
  /// - Parameters:
  ///   - kind: The kind: 1–64 of the characters `a–z 0–9 -`.
  ///   - section: The name of the section, or `nil` for the plural of the kind.
  ///   - fields: The fields of an entity.
  ///   - days: The fields of an entity's days.
  ///   - takesFurtherFields: Whether events can write undeclared fields.
  ///   - events: The event types, or `nil` for those derived from the kind and the fields.
  public init(
    _ kind: String, section: String? = nil, _ fields: [RecordField<R>],
    days: [RecordField<R.Daily>] = [], takesFurtherFields: Bool = false,
    events: [EventSchema]? = nil
  ) {
    self.init(
      kind, section: section, fields, days: days, takesFurtherFields: takesFurtherFields,
      events: events, presentation: Presentation())
  }

  /// Creates a schema with its own presentation.
  package init(
    _ kind: String, section: String? = nil, _ fields: [RecordField<R>],
    days: [RecordField<R.Daily>] = [], takesFurtherFields: Bool = false,
    events: [EventSchema]? = nil, presentation: Presentation
  ) {
    self.kind = kind
    self.fields = fields
    self.days = days
    declare = { fields, days in
      CollectionSchema(
        kind: kind, section: section, fields: fields, takesFurtherFields: takesFurtherFields,
        dayFields: days, events: events, presentation: presentation)
    }
  }

  /// Creates a schema for a singleton.
  ///
  /// - Parameters:
  ///   - kind: The kind: 1–64 of the characters `a–z 0–9 -`.
  ///   - section: The name of the section, or `nil` for the kind.
  ///   - fields: The fields of the singleton.
  ///   - takesFurtherFields: Whether events can write undeclared fields.
  ///   - events: The event types, or `nil` for those derived from the kind and the fields.
  public init(
    singleton kind: String, section: String? = nil, _ fields: [RecordField<R>],
    takesFurtherFields: Bool = false, events: [EventSchema]? = nil
  ) {
    self.kind = kind
    self.fields = fields
    days = []
    declare = { fields, _ in
      CollectionSchema(
        kind: kind, section: section, isSingleton: true, fields: fields,
        takesFurtherFields: takesFurtherFields, events: events)
    }
  }

  /// Creates a schema for a collection that is declared elsewhere, such as the settings that your
  /// app uses.
  ///
  /// - Parameters:
  ///   - collection: The declaration.
  ///   - fields: The fields that the record shows.
  ///   - days: The fields of an entity's days that the record shows.
  public init(
    of collection: CollectionSchema, _ fields: [RecordField<R>],
    days: [RecordField<R.Daily>] = []
  ) {
    kind = collection.kind
    self.fields = fields
    self.days = days
    declare = { _, _ in collection }
  }

  /// The declaration without the Swift type.
  ///
  /// Each access creates a new value.
  public var collection: CollectionSchema { declare(fields.map(\.schema), days.map(\.schema)) }

  /// Checks that each property matches a field of the collection, that counters begin without a
  /// value and sets empty, that registers begin with a value that their rules allow, and that the
  /// members of sets can be written as text.
  ///
  /// - Throws: `invalidSchema`.
  public func check() throws(EventLogError) {
    let collection = collection
    let blank = (R(), R.Daily())
    let loaded =
      fields.filter { !$0.beginsBlank(blank.0) }.map(\.name)
      + days.filter { !$0.beginsBlank(blank.1) }.map(\.name)
    if let name = loaded.first {
      throw .refusedSchema(
        kind, "\(R.self)() gives \"\(name)\" a value, but counters and sets must start empty",
        hint: "Start with 0 or an empty set, and write the first value when you create one.")
    }
    for (schemas, ofDay) in [(fields.map(\.schema), false), (days.map(\.schema), true)] {
      for schema in schemas {
        let declared = collection.field(schema.name, ofDay: ofDay)
        if declared == nil, !ofDay, collection.takesFurtherFields { continue }
        let isSame =
          declared?.mechanism == schema.mechanism
          || declared?.mechanism.isRegister == true && schema.mechanism.isRegister
        guard isSame else {
          throw .refusedSchema(
            kind, "\(R.self) declares \"\(schema.name)\" differently from the collection",
            hint: "Declare it as the collection does.")
        }
      }
    }
    try checkValues(collection, blank)
  }

  /// Checks that the values of a new record could be written.
  private func checkValues(
    _ collection: CollectionSchema, _ blank: (R, R.Daily)
  ) throws(EventLogError) {
    func check(_ name: String, _ flaw: RegisterFlaw?) throws(EventLogError) {
      switch flaw {
      case nil: return
      case .optionalElements?:
        throw .refusedSchema(
          kind, "\"\(name)\" is a list whose elements are optional, but a list takes no null",
          hint: "Make the elements non-optional, or declare it with .register(_:coding:).")
      case .unwritableDefault(let rule)?:
        throw .refusedSchema(
          kind,
          "\(R.self)() gives \"\(name)\" a value that cannot be written: it must be"
            + " \(rule.phrase)",
          hint: "Begin with such a value, or make the property optional.")
      case .membersWithoutText(let element)?:
        throw .refusedSchema(
          kind,
          "\"\(name)\" is a set of \(element), but the members of a set are written as text",
          hint: MemberText.hint)
      }
    }
    func rule(_ field: FieldSchema, ofDay: Bool) -> ValueRule {
      let declared = collection.field(field.name, ofDay: ofDay) ?? field
      if case .register(let rule) = declared.mechanism { return rule }
      return .any
    }
    for field in fields {
      try check(field.name, field.flaw(blank.0, rule(field.schema, ofDay: false)))
    }
    for field in days {
      try check(field.name, field.flaw(blank.1, rule(field.schema, ofDay: true)))
    }
  }

  // MARK: - Reading

  /// Returns a record with the given values.
  ///
  /// - Parameter shown: A closure that returns the value of a field, or `nil` if it is absent. The
  ///   value of a set is an array of its members.
  public func record(_ shown: (String) -> JSONValue?) -> R {
    Self.read(fields, shown, R()) { $0.read($1, &$2) }.record
  }

  /// The same, with the names of the fields whose properties don't contain all of their values.
  func read(_ shown: (String) -> JSONValue?) -> (record: R, unread: [String]) {
    Self.read(fields, shown, R()) { $0.readFully($1, &$2) }
  }

  /// Returns a day's record with the given values.
  ///
  /// - Parameter shown: A closure that returns the value of a field, or `nil` if it is absent. The
  ///   value of a set is an array of its members.
  public func daily(_ shown: (String) -> JSONValue?) -> R.Daily {
    Self.read(days, shown, R.Daily()) { $0.read($1, &$2) }.record
  }

  /// The same, with the names of the fields whose properties don't contain all of their values.
  func readDay(_ shown: (String) -> JSONValue?) -> (record: R.Daily, unread: [String]) {
    Self.read(days, shown, R.Daily()) { $0.readFully($1, &$2) }
  }

  private static func read<Root>(
    _ fields: [RecordField<Root>], _ shown: (String) -> JSONValue?, _ start: Root,
    _ read: (RecordField<Root>, JSONValue, inout Root) -> Bool
  ) -> (record: Root, unread: [String]) {
    var (root, unread) = (start, [String]())
    for field in fields {
      if let value = shown(field.name), !read(field, value, &root) { unread.append(field.name) }
    }
    return (root, unread)
  }

  // MARK: - Writing

  /// The changes that turn one record into another, in order of declaration.
  ///
  /// Values that are equal as JSON result in no change. Counters are incremented by the difference.
  ///
  /// - Parameter rewriting: The registers to write even if their properties don't change.
  /// - Throws: `invalidEvent` for a value that can't be represented as JSON, and for a changed
  ///   property without a field.
  package func changes(
    from old: R, to new: R, _ rewriting: [String] = []
  ) throws(EventLogError) -> [FieldChange] {
    try Self.changes(fields, old, new) { rewriting.contains($0) ? .rewriting : .edit }
  }

  /// The changes that lead from `R()` to a record.
  ///
  /// - Throws: `invalidEvent` for a value that can't be represented as JSON, and for a changed
  ///   property without a field.
  package func changes(creating new: R) throws(EventLogError) -> [FieldChange] {
    try Self.changes(fields, R(), new) { _ in .creation }
  }

  /// The changes that turn one day's record into another.
  ///
  /// - Throws: `invalidEvent` for a value that can't be represented as JSON, and for a changed
  ///   property without a field.
  package func changes(
    from old: R.Daily, to new: R.Daily, _ rewriting: [String] = []
  ) throws(EventLogError) -> [FieldChange] {
    try Self.changes(days, old, new) { rewriting.contains($0) ? .rewriting : .edit }
  }

  private static func changes<Root>(
    _ fields: [RecordField<Root>], _ old: Root, _ new: Root,
    _ occasion: (String) -> RecordField<Root>.Occasion
  ) throws(EventLogError) -> [FieldChange] {
    var changes: [FieldChange] = []
    for field in fields { changes += try field.changes(old, new, occasion(field.name)) }
    try UndeclaredChange.refuse(fields, old, new)
    return changes
  }

  // MARK: - Names

  /// Returns the name of the field that a property shows, or `nil` if it shows none.
  ///
  /// - Parameter path: A property of the record.
  public func fieldName(_ path: PartialKeyPath<R>) -> String? {
    fields.first { $0.path == path }?.name
  }

  /// Returns the name of the field that a property of a day shows, or `nil` if it shows none.
  ///
  /// - Parameter path: A property of the day's record.
  public func dayFieldName(_ path: PartialKeyPath<R.Daily>) -> String? {
    days.first { $0.path == path }?.name
  }
}
