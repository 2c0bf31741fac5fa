/// The declaration of an event type.
public struct EventSchema: Sendable, Hashable {
  /// The name of the type, in the form `<kind>.<past-tense verb>`.
  public var type: String
  /// The members that the event's data can contain.
  public var members: [MemberSchema]
  /// A Boolean value that indicates whether each other member writes the entity's register of the
  /// same name.
  public var writesFields: Bool
  /// A Boolean value that indicates whether an event must change at least one field, although no
  /// single member is required.
  public var needsChange: Bool
  /// The registers that every event of this type writes, regardless of its data.
  public var assigns: [Assignment]
  /// Whether the event creates, deletes, or restores its entity.
  public var lifecycle: Lifecycle
  /// A sentence that describes the type to users.
  public var summary: String

  /// The effects of an event on the existence of its entity.
  public enum Lifecycle: Sendable, Hashable {
    /// The event doesn't affect the existence of the entity.
    case none
    /// The event creates the entity.
    ///
    /// An append refuses it if the entity already exists.
    case begins
    /// The event hides the entity until a restoration that has seen this event.
    case deletes
    /// The event shows a deleted entity again.
    case restores
  }

  /// A register and the fixed value that an event writes to it.
  public struct Assignment: Sendable, Hashable {
    /// The name of the register.
    public var field: String
    /// The value to write.
    public var value: JSONValue

    /// Creates an assignment.
    ///
    /// - Parameters:
    ///   - field: The name of the register.
    ///   - value: The value to write.
    public init(_ field: String, _ value: JSONValue) {
      self.field = field
      self.value = value
    }
  }

  /// Creates an event type.
  ///
  /// Nothing is checked until you add the collection to a ``SchemaCatalog``.
  ///
  /// - Parameters:
  ///   - type: The name of the type, in the form `<kind>.<past-tense verb>`.
  ///   - members: The members that the event's data can contain.
  ///   - writesFields: Whether each other member writes the register of the same name.
  ///   - needsChange: Whether an event must change at least one field.
  ///   - assigns: The registers that every event of this type writes.
  ///   - lifecycle: Whether the event creates, deletes, or restores its entity.
  ///   - summary: A sentence that describes the type to users.
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

  /// Returns the declared member with a name, or `nil` if there is none.
  public func member(_ name: String) -> MemberSchema? {
    members.indices.first { members[$0].name.hasBytes(of: name) }.map { members[$0] }
  }
}

/// The declaration of a member of an event's data.
public struct MemberSchema: Sendable, Hashable {
  /// The name of the member.
  public var name: String
  /// The effect of the member's value on the entity or its day.
  public var role: Role
  /// A Boolean value that indicates whether every event of the type must contain the member.
  public var isRequired: Bool

  /// The effects of a member's value.
  public enum Role: Sendable, Hashable {
    /// The day of the entity that the event is about, in the form `YYYY-MM-DD`.
    ///
    /// If the day is optional, members that change a field of a day require it, and members that
    /// change a field of the entity exclude it.
    case day
    /// Writes a register of the day or of the entity, whichever declares it.
    case write(field: String)
    /// Sets a counter to a number from 0 to 1,000,000,000 with at most six digits after the point,
    /// or to no value: `null`.
    case set(field: String)
    /// Adds a number from −1,000,000,000 to 1,000,000,000 with at most six digits after the point
    /// to a counter.
    case advance(field: String)
    /// The name of the set to change.
    ///
    /// The set must be declared. In a singleton that accepts further fields, any undeclared name is
    /// allowed as well.
    case key
    /// The members to add to the set: an array of strings.
    case include
    /// The members to remove from the set: an array of strings.
    case exclude
  }

  /// Creates a member.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - role: The effect of the member's value.
  ///   - isRequired: Whether every event of the type must contain the member.
  public init(_ name: String, _ role: Role, isRequired: Bool = true) {
    self.name = name
    self.role = role
    self.isRequired = isRequired
  }
}
