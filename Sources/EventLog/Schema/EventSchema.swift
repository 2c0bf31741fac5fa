/// What the members of an event's `data` do.
public struct EventSchema: Sendable, Hashable {
  /// `<kind>.<past-tense verb>`.
  public var type: String
  /// The members that `data` may hold.
  public var members: [MemberSchema]
  /// Whether any other member writes the entity's register of its name.
  public var writesFields: Bool
  /// Whether at least one field has to be changed, although no member alone is required.
  public var needsChange: Bool
  /// Registers that every such event writes, whatever its data.
  public var assigns: [Assignment]
  /// Whether the event begins, deletes or restores its entity, or none of these.
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
    /// The register that is written.
    public var field: String
    /// What it is written with each time.
    public var value: JSONValue

    /// Writes a register, which it names, with a fixed value.
    public init(_ field: String, _ value: JSONValue) {
      self.field = field
      self.value = value
    }
  }

  /// Declares an event type; nothing is checked before a ``SchemaCatalog`` takes its collection.
  public init(
    _ type: String, _ members: [MemberSchema] = [], writesFields: Bool = false,
    needsChange: Bool = false, assigns: [Assignment] = [], lifecycle: Lifecycle = .none,
    summary: String
  ) {
    self.type = type
    self.members = members
    self.writesFields = writesFields
    self.needsChange = needsChange
    self.assigns = assigns
    self.lifecycle = lifecycle
    self.summary = summary
  }

  /// The declared member of that name.
  public func member(_ name: String) -> MemberSchema? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// One member of an event's `data`.
public struct MemberSchema: Sendable, Hashable {
  /// The key under which the member stands in `data`.
  public var name: String
  /// What the member's value does to the entity or its day.
  public var role: Role
  /// Whether an event without the member breaks the rules of its type.
  public var isRequired: Bool

  /// What the member's value does.
  public enum Role: Sendable, Hashable {
    /// `YYYY-MM-DD`: the event is about this day of its entity.
    ///
    /// Where it may be left out, members that change a field of days need it, and members that
    /// change a field of the entity exclude it.
    case day
    /// Writes the register `field`, of the day or of the entity, whichever declares it.
    case write(field: String)
    /// Sets the counter: a whole number from 0 to 10^9.
    case set(field: String)
    /// Adds to the counter: a whole number from −10^9 to 10^9.
    case advance(field: String)
    /// The name of the set that changes: a declared one; in a singleton that takes further fields
    /// also any name that is not declared.
    case key
    /// The members that come in: an array of texts.
    case include
    /// The members that go out.
    case exclude
  }

  /// Declares a member of `data`, which every event needs unless `isRequired` is false.
  public init(_ name: String, _ role: Role, isRequired: Bool = true) {
    self.name = name
    self.role = role
    self.isRequired = isRequired
  }
}
