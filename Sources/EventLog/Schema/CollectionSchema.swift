/// The declaration of a collection: its fields, how each of them merges, and its event types.
///
/// The declaration is all that a new collection requires. Unless you declare event types, they are
/// derived from the kind and the fields.
public struct CollectionSchema: Sendable, Hashable {
  /// The kind: the first part of the entities' IDs and, by convention, of the event types.
  public let kind: String
  /// The name of the collection's section in the JSON of a snapshot, by convention the plural of
  /// the kind.
  public let section: String
  /// A Boolean value that indicates whether the collection is a singleton instead of entities with
  /// IDs.
  public let isSingleton: Bool
  /// The declared fields.
  public let fields: [FieldSchema]
  /// A Boolean value that indicates whether events can write undeclared fields.
  ///
  /// Each of them is a register of any JSON value.
  public let takesFurtherFields: Bool
  /// The fields of an entity's days.
  ///
  /// Empty if entities have no days.
  public let dayFields: [FieldSchema]
  /// The event types.
  public let events: [EventSchema]
  /// The form of the entities in a projection.
  package let presentation: Presentation
  /// The names that events can't write as fields, because the JSON of the collection uses them, or
  /// because event types assign these fields.
  public let reservedNames: Set<String>

  /// Creates a declaration.
  ///
  /// Nothing is checked until you add the collection to a ``SchemaCatalog``.
  ///
  /// - Parameters:
  ///   - kind: The kind: 1–64 of the characters `a–z 0–9 -`.
  ///   - section: The name of the section, or `nil` for the plural of the kind, or the kind itself
  ///     for a singleton.
  ///   - isSingleton: Whether the collection is a singleton.
  ///   - fields: The fields of an entity or of the singleton.
  ///   - takesFurtherFields: Whether events can write undeclared fields.
  ///   - dayFields: The fields of an entity's days.
  ///   - events: The event types, or `nil` for ``derivedEvents``.
  public init(
    kind: String, section: String? = nil, isSingleton: Bool = false, fields: [FieldSchema],
    takesFurtherFields: Bool = false, dayFields: [FieldSchema] = [],
    events: [EventSchema]? = nil
  ) {
    self.init(
      kind: kind, section: section, isSingleton: isSingleton, fields: fields,
      takesFurtherFields: takesFurtherFields, dayFields: dayFields, events: events,
      presentation: Presentation())
  }

  /// Creates a declaration with its own presentation.
  package init(
    kind: String, section: String? = nil, isSingleton: Bool = false, fields: [FieldSchema],
    takesFurtherFields: Bool = false, dayFields: [FieldSchema] = [],
    events: [EventSchema]? = nil, presentation: Presentation
  ) {
    self.kind = kind
    self.section = section ?? Self.section(ofKind: kind, isSingleton: isSingleton)
    self.isSingleton = isSingleton
    self.fields = fields
    self.takesFurtherFields = takesFurtherFields
    self.dayFields = dayFields
    self.presentation = presentation
    self.events =
      events
      ?? DerivedEvents(
        kind: kind, isSingleton: isSingleton, fields: fields,
        takesFurtherFields: takesFurtherFields, dayFields: dayFields
      ).all
    let assigned = presentation.isFlat ? self.events.flatMap(\.assigns).map(\.field) : []
    let dated: Set = fields.contains(where: \.isDated) ? [Self.fromMember] : []
    reservedNames =
      isSingleton
      ? dated : presentation.reservedNames(dayFields: dayFields).union(assigned).union(dated)
  }

  /// The member of an event's data with the day from which its dated fields apply.
  package static let fromMember = "from"

  /// Whether events of a type can state the day from which the dated fields that they write apply.
  ///
  /// The values of a new entity apply from the beginning.
  package func takesFrom(_ event: EventSchema) -> Bool {
    event.lifecycle != .begins && datedNames(of: event)?.isEmpty != true
  }

  /// Whether an event with this data writes a dated field.
  package func writesDatedField(_ event: EventSchema, _ data: JSONObject) -> Bool {
    datedNames(of: event)?.contains { data[$0] != nil } ?? true
  }

  /// The names of the members with which an event writes a dated field, or nil if it always does.
  func datedNames(of event: EventSchema) -> [String]? {
    let dated = fields.filter(\.isDated)
    func isDated(_ name: String) -> Bool { dated.contains { $0.hasName(name) } }
    if event.assigns.contains(where: { isDated($0.field) }) { return nil }
    let declared = event.members.filter { $0.role.field.map(isDated) ?? false }.map(\.name)
    if !event.writesFields { return declared }
    return declared
      + dated.flatMap(\.names).filter { event.member($0) == nil && !reservedNames.contains($0) }
  }

  /// A Boolean value that indicates whether the entities have days.
  public var hasDays: Bool { !dayFields.isEmpty }

  /// Returns the declared field with a name, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - ofDay: Whether to search the fields of the days instead of those of the entity.
  public func field(_ name: String, ofDay: Bool = false) -> FieldSchema? {
    // Compare bytes: by `==`, the Kelvin sign equals K.
    let fields = ofDay ? dayFields : fields
    return fields.indices.first { fields[$0].name.hasBytes(of: name) }.map { fields[$0] }
  }

  /// The event types that are derived from the kind and the fields.
  public var derivedEvents: [EventSchema] {
    DerivedEvents(
      kind: kind, isSingleton: isSingleton, fields: fields,
      takesFurtherFields: takesFurtherFields, dayFields: dayFields
    ).all
  }

  /// The default name of the section: the English plural, by the usual rules.
  static func section(ofKind kind: String, isSingleton: Bool) -> String {
    if isSingleton { return kind }
    let endings = ["s", "x", "z", "ch", "sh"]
    if endings.contains(where: kind.hasSuffix) { return kind + "es" }
    let letters = Array(kind.utf8.suffix(2))
    if letters.count == 2, letters[1] == UInt8(ascii: "y"), !"aeiou".utf8.contains(letters[0]) {
      return kind.dropLast() + "ies"
    }
    return kind + "s"
  }
}
