/// A collection as a Swift type sees it: each field with the property that shows it.
///
/// Nothing is checked here: a ``SchemaCatalog`` that takes ``collection`` does.
public struct Schema<R: Record>: Sendable {
  /// The first part of the entities' IDs; of a singleton its whole name.
  public let kind: String
  /// The fields of the entity or the singleton, in the order of declaration.
  public let fields: [RecordField<R>]
  /// The fields of an entity's days, in the order of declaration; empty where it has none.
  public let days: [RecordField<R.Daily>]
  private let declare: @Sendable ([FieldSchema], [FieldSchema]) -> CollectionSchema

  /// Declares a collection of many entities.
  ///
  /// - Parameters:
  ///   - section: nil: the plural of the kind.
  ///   - days: the fields of an entity's days.
  ///   - events: nil: the types that follow from kind and fields.
  public init(
    _ kind: String, section: String? = nil, _ fields: [RecordField<R>],
    days: [RecordField<R.Daily>] = [], takesFurtherFields: Bool = false,
    events: [EventSchema]? = nil
  ) {
    self.init(
      kind, section: section, fields, days: days, takesFurtherFields: takesFurtherFields,
      events: events, presentation: Presentation())
  }

  /// The same, shown in a way of its own.
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

  /// Declares a collection of which there is only one.
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

  /// Sees a collection that is declared elsewhere, for example the keys of the settings that an
  /// app uses.
  public init(
    of collection: CollectionSchema, _ fields: [RecordField<R>],
    days: [RecordField<R.Daily>] = []
  ) {
    kind = collection.kind
    self.fields = fields
    self.days = days
    declare = { _, _ in collection }
  }

  /// The declaration without the Swift type. It is made anew with each call.
  public var collection: CollectionSchema { declare(fields.map(\.schema), days.map(\.schema)) }

  /// Checks that every property shows a field of the collection as that field merges, and that
  /// counters begin with 0 and sets with no member: what an edit changes is counted from there.
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
        kind, "\(R.self)() gives \"\(name)\" a value, and a counter or a set begins without one",
        hint: "Begin with 0 or an empty set, and write the first value when you create one.")
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
            kind, "\(R.self) shows \"\(schema.name)\" as what it is not declared to be")
        }
      }
    }
  }

  // MARK: - Reading

  /// A record of what is shown; `shown` gives a field's value, nil where it is absent, a set as an
  /// array of its members.
  public func record(_ shown: (String) -> JSONValue?) -> R { Self.read(fields, shown, R()) }

  /// A day's record of what is shown.
  public func daily(_ shown: (String) -> JSONValue?) -> R.Daily {
    Self.read(days, shown, R.Daily())
  }

  private static func read<Root>(
    _ fields: [RecordField<Root>], _ shown: (String) -> JSONValue?, _ start: Root
  ) -> Root {
    var root = start
    for field in fields { if let value = shown(field.name) { field.read(value, &root) } }
    return root
  }

  // MARK: - Writing

  /// The changes of an edit that leads from one record to another, in the order of declaration;
  /// none for what is equal as JSON. Counters are incremented by the difference.
  ///
  /// - Throws: `invalidEvent` for a value that cannot be spelled as JSON.
  package func changes(from old: R, to new: R) throws(EventLogError) -> [FieldChange] {
    try Self.changes(fields, old, new, .edit)
  }

  /// The changes that make a record of what `R()` gives.
  ///
  /// - Throws: `invalidEvent` for a value that cannot be spelled as JSON.
  package func changes(creating new: R) throws(EventLogError) -> [FieldChange] {
    try Self.changes(fields, R(), new, .creation)
  }

  /// The changes of an edit that leads from one day's record to another.
  ///
  /// - Throws: `invalidEvent` for a value that cannot be spelled as JSON.
  package func changes(
    from old: R.Daily, to new: R.Daily
  ) throws(EventLogError) -> [FieldChange] {
    try Self.changes(days, old, new, .edit)
  }

  private static func changes<Root>(
    _ fields: [RecordField<Root>], _ old: Root, _ new: Root,
    _ occasion: RecordField<Root>.Occasion
  ) throws(EventLogError) -> [FieldChange] {
    var changes: [FieldChange] = []
    for field in fields { changes += try field.changes(old, new, occasion) }
    return changes
  }

  // MARK: - Names

  /// The name of the field that a property shows; nil for a property that shows none.
  public func fieldName(_ path: PartialKeyPath<R>) -> String? {
    fields.first { $0.path == path }?.name
  }

  /// The name of the field that a property of a day shows.
  public func dayFieldName(_ path: PartialKeyPath<R.Daily>) -> String? {
    days.first { $0.path == path }?.name
  }
}
