/// The ID of an entity of a specific record type.
public struct ID<R: Record>: Sendable, Hashable, CustomStringConvertible {
  /// The key of the entity: 1–128 of the characters `A–Z a–z 0–9 . _ ~ -`.
  public let key: String

  /// Creates an ID from a key, or returns `nil` if the key isn't valid.
  public init?(_ key: String) {
    guard let entity = EntityID(kind: "a", key: key) else { return nil }
    self.key = entity.key
  }

  /// Creates an ID from an entity ID, or returns `nil` if the entity is of another kind.
  public init?(_ entity: EntityID) {
    guard entity.kind == R.schema.kind else { return nil }
    key = entity.key
  }

  /// The entity's ID with its kind: `<kind>/<key>`.
  public var entity: EntityID { EntityID(trustedKind: R.schema.kind, key: key) }

  /// The ID in the form `<kind>/<key>`.
  public var description: String { entity.description }
}

/// A link to another entity. The register contains `<kind>/<key>`.
extension ID: JSONConvertible {
  /// The rule ``ValueRule/entity(kind:)`` with the record's kind.
  public static var valueRule: ValueRule { .entity(kind: R.schema.kind) }
  /// Creates an ID from a string in the form `<kind>/<key>`.
  ///
  /// Returns `nil` if the value isn't such a string or the entity is of another kind.
  public init?(json: JSONValue) {
    guard case .string(let text) = json, let entity = EntityID(text) else { return nil }
    self.init(entity)
  }
  /// The ID as a JSON string in the form `<kind>/<key>`.
  public var json: JSONValue { .string(description) }
}

extension ID: Codable {
  /// Creates an ID by decoding a string in the form `<kind>/<key>`.
  public init(from decoder: any Decoder) throws {
    self = try decoder.spelled { text in EntityID(text).flatMap { ID($0) } }
  }

  /// Encodes the ID as a string in the form `<kind>/<key>`.
  public func encode(to encoder: any Encoder) throws { try encoder.spell(description) }
}
