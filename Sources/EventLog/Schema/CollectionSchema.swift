/// One collection in one declaration: its fields, how each merges, and the events that write them.
///
/// A new collection needs nothing else: no storage, no merge rule, no way to sync. The types of its
/// events follow from its kind and fields, unless it names its own.
public struct CollectionSchema: Sendable, Hashable {
  /// The first part of its entities' IDs and, by custom, of its event types.
  public let kind: String
  /// The name of its section in a projection, by custom the plural of the kind.
  public let section: String
  /// Whether there is one of it, or many, each with an ID.
  public let isSingleton: Bool
  /// The declared fields.
  public let fields: [FieldSchema]
  /// Whether other fields may be written: each is a register of any JSON value.
  public let takesFurtherFields: Bool
  /// The fields of an entity's days; empty where it has none.
  public let dayFields: [FieldSchema]
  /// The types of its events.
  public let events: [EventSchema]
  /// How its entities are shown.
  package let presentation: Presentation
  /// Names that no event writes as a field by its name: the collection's JSON uses them, so that
  /// no field is called so, or they are fields that types assign.
  public let reservedNames: Set<String>

  /// Declares a collection; nothing is checked before a ``SchemaCatalog`` takes it.
  ///
  /// - Parameters:
  ///   - section: nil: the plural of the kind; for a singleton the kind itself.
  ///   - events: nil: the ones that follow from kind and fields, ``derivedEvents``.
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

  /// The same, shown in a way of its own.
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
    reservedNames =
      isSingleton ? [] : presentation.reservedNames(dayFields: dayFields).union(assigned)
  }

  /// Whether its entities have days.
  public var hasDays: Bool { !dayFields.isEmpty }

  /// The declared field of that name, of the entity or of its days.
  public func field(_ name: String, ofDay: Bool = false) -> FieldSchema? {
    // By bytes: to `==`, the Kelvin sign is a K.
    (ofDay ? dayFields : fields).first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The event types that follow from kind and fields.
  public var derivedEvents: [EventSchema] {
    DerivedEvents(
      kind: kind, isSingleton: isSingleton, fields: fields,
      takesFurtherFields: takesFurtherFields, dayFields: dayFields
    ).all
  }

  /// The section's name where a declaration has none: the English plural, as most words make it.
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
