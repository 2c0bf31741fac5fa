/// One collection in one declaration: its fields, how each merges, and the events that write them.
///
/// A new collection needs nothing else: no storage, no merge rule, no way to sync.
public struct CollectionSchema: Sendable, Hashable {
  /// The first part of its entities' IDs and, by custom, of its event types.
  public var kind: String
  /// The name of its section in a projection, by custom the plural of the kind.
  public var section: String
  /// Whether there is one of it, or many, each with an ID.
  public var isSingleton: Bool
  /// The declared fields.
  public var fields: [FieldSchema]
  /// Whether other fields may be written: each is a register of any JSON value.
  public var takesFurtherFields: Bool
  /// The fields of an entity's days; empty where it has none.
  public var dayFields: [FieldSchema]
  /// The types of its events.
  public var events: [EventSchema]
  /// How its entities are shown.
  public var presentation: Presentation

  public init(
    kind: String, section: String, isSingleton: Bool, fields: [FieldSchema],
    takesFurtherFields: Bool, dayFields: [FieldSchema] = [], events: [EventSchema],
    presentation: Presentation = Presentation()
  ) {
    self.presentation = presentation
    self.kind = kind
    self.section = section
    self.isSingleton = isSingleton
    self.fields = fields
    self.takesFurtherFields = takesFurtherFields
    self.dayFields = dayFields
    self.events = events
  }

  public var hasDays: Bool { !dayFields.isEmpty }
}

/// How a collection's entities are shown in a projection.
public struct Presentation: Sendable, Hashable {
  /// Whether the fields stand beside `id` instead of within `fields`.
  public var isFlat: Bool
  /// Fields that are shown with these values where nothing was written.
  public var defaults: [EventSchema.Assignment]
  /// Where the days are shown; nil: within their entity.
  public var daySection: DaySection?

  public init(
    isFlat: Bool = false, defaults: [EventSchema.Assignment] = [], daySection: DaySection? = nil
  ) {
    self.isFlat = isFlat
    self.defaults = defaults
    self.daySection = daySection
  }

  /// A section of its own for the days of all entities.
  public struct DaySection: Sendable, Hashable {
    /// Its name.
    public var section: String
    /// The member that holds the entity's key.
    public var entityMember: String
    /// The day's counter that is compared with the goal.
    public var progressField: String
    /// The entity's field that holds the goal; 1 where it has no value.
    public var goalField: String
    /// The entity's field that holds the ``Schedule``; every day where it has no value.
    public var scheduleField: String

    public init(
      section: String, entityMember: String, progressField: String, goalField: String,
      scheduleField: String
    ) {
      self.section = section
      self.entityMember = entityMember
      self.progressField = progressField
      self.goalField = goalField
      self.scheduleField = scheduleField
    }
  }
}

/// A field and how concurrent writes of it merge.
public struct FieldSchema: Sendable, Hashable {
  public var name: String
  public var mechanism: Mechanism
  /// A clause for a person, shown by `eventlog types`.
  public var note: String

  /// The rule by which writes of a field come together.
  public enum Mechanism: Sendable, Hashable {
    /// The values that no later write had seen; several different ones are a conflict.
    case register(ValueRule)
    /// Every increment counts once; a set replaces what it had seen.
    case counter
    /// A set of texts: an inclusion that no exclusion had seen keeps its member in.
    case members
  }

  public init(_ name: String, _ mechanism: Mechanism, note: String = "") {
    self.name = name
    self.mechanism = mechanism
    self.note = note
  }
}

/// What the members of an event's `data` do.
public struct EventSchema: Sendable, Hashable {
  /// `<kind>.<past-tense verb>`.
  public var type: String
  /// The members that `data` may hold.
  public var members: [MemberSchema]
  /// Whether any other member writes the field of its name.
  public var writesFields: Bool
  /// Registers that every such event writes, whatever its data.
  public var assigns: [Assignment]
  public var lifecycle: Lifecycle
  /// A sentence for a person.
  public var summary: String

  /// What an event means for the existence of its entity.
  public enum Lifecycle: Sendable, Hashable {
    case none
    /// It begins the entity: an append refuses it for one that exists.
    case begins
    /// It hides the entity until a restoration has seen it.
    case deletes
    case restores
  }

  /// A register written with a fixed value.
  public struct Assignment: Sendable, Hashable {
    public var field: String
    public var value: JSONValue

    public init(_ field: String, _ value: JSONValue) {
      self.field = field
      self.value = value
    }
  }

  public init(
    _ type: String, _ members: [MemberSchema] = [], writesFields: Bool = false,
    assigns: [Assignment] = [], lifecycle: Lifecycle = .none, summary: String
  ) {
    self.type = type
    self.members = members
    self.writesFields = writesFields
    self.assigns = assigns
    self.lifecycle = lifecycle
    self.summary = summary
  }
}

/// One member of an event's `data`.
public struct MemberSchema: Sendable, Hashable {
  public var name: String
  public var role: Role
  public var isRequired: Bool

  /// What the member's value does.
  public enum Role: Sendable, Hashable {
    /// `YYYY-MM-DD`: the event is about this day of its entity.
    case day
    /// Writes the register `field` of the day, or of the entity where the event names no day.
    case write(field: String)
    /// Sets the counter: a whole number from 0 to 10^9.
    case set(field: String)
    /// Adds to the counter: a whole number from −10^9 to 10^9.
    case advance(field: String)
    /// The name of the field whose members change.
    case key
    /// The members that come in: an array of texts.
    case include
    /// The members that go out.
    case exclude
  }

  public init(_ name: String, _ role: Role, isRequired: Bool = true) {
    self.name = name
    self.role = role
    self.isRequired = isRequired
  }
}
