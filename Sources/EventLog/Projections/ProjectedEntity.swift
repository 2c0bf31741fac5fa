import Synchronization

/// A field in a snapshot.
public struct ProjectedField: Sendable, Hashable {
  /// The name of the field: a declared name, or a further one that the collection accepts.
  public let name: String
  /// The value of the field.
  public let value: Value
  /// A Boolean value that indicates whether there is an open conflict about the field.
  ///
  /// If so, ``value`` is that of the latest candidate.
  public let isContested: Bool
  /// A Boolean value that indicates whether this version of the app can't read the value.
  ///
  /// A later version may have written it. It is kept and sent to other devices, but not shown.
  public let isUnreadable: Bool

  /// The value of a field.
  public enum Value: Sendable, Hashable {
    /// The value of a register.
    ///
    /// `null` means that it was written and is shown as absent.
    case json(JSONValue)
    /// The total of a counter, or `nil` if nothing was recorded or an amount can't be read.
    case count(JSONNumber?)
    /// The members of a set, sorted by bytes.
    case members([String])
  }

  /// The value as JSON, or `nil` if it is shown as absent.
  public var shown: JSONValue? {
    switch value {
    case .json(.null): nil
    case .json(let value): isUnreadable ? nil : value
    case .count(let count): count.map { .number($0) }
    case .members(let members): .array(members.map { .string($0) })
    }
  }
}

/// An entity in a snapshot, with all its fields and days.
public struct ProjectedEntity: Sendable, Hashable {
  /// The ID of the entity.
  public let id: EntityID
  /// The fields, sorted by name.
  public let fields: [ProjectedField]
  /// The days of which a field has a value or a conflict, sorted by date.
  public let days: [ProjectedDay]
  /// A Boolean value that indicates whether the entity is deleted.
  ///
  /// Its fields and days are still available.
  public let isDeleted: Bool
  /// A Boolean value that indicates whether a device deleted the entity while another device
  /// concurrently wrote to it.
  public let isPresenceContested: Bool

  /// Returns the value of a field, or `nil` if none is shown.
  public subscript(field: String) -> JSONValue? {
    fields.first { $0.name.hasBytes(of: field) }?.shown
  }

  /// The names of the contested fields, sorted by bytes.
  ///
  /// They can include `presence`.
  public var contested: [String] {
    (fields.filter(\.isContested).map(\.name) + (isPresenceContested ? ["presence"] : []))
      .sorted { $0.precedes($1) }
  }

  /// The names of the fields whose values this version of the app can't read, sorted by bytes.
  public var unreadable: [String] { fields.filter(\.isUnreadable).map(\.name) }
}

/// A day of an entity in a snapshot, with all its fields.
public struct ProjectedDay: Sendable, Hashable {
  /// The date of the day.
  public let day: Day
  /// The fields, sorted by name.
  public let fields: [ProjectedField]

  /// Returns the value of a field, or `nil` if none is shown.
  public subscript(field: String) -> JSONValue? {
    fields.first { $0.name.hasBytes(of: field) }?.shown
  }

  /// The names of the contested fields, sorted by bytes.
  public var contested: [String] { fields.filter(\.isContested).map(\.name) }

  /// The names of the fields whose values this version of the app can't read, sorted by bytes.
  public var unreadable: [String] { fields.filter(\.isUnreadable).map(\.name) }
}
