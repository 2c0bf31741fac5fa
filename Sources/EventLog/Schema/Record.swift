/// A Swift type whose values are read from a collection and written to it.
///
/// ```swift
/// struct Food: Record {
///   var name = "", kcal = 0, servings = 0
///   var tags: Set<String> = []
///   static let schema = Schema<Food>("food", [
///     .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
///     .members("tags", \.tags),
///   ])
/// }
/// ```
///
/// What `init()` gives a field is what it reads as where nothing was written.
public protocol Record: Sendable {
  /// One day of an entity, where the collection has days.
  associatedtype Daily: DailyRecord = NoDays
  init()
  static var schema: Schema<Self> { get }
}

/// What a day of an entity holds.
public protocol DailyRecord: Sendable {
  init()
}

/// The days of a collection that has none.
public struct NoDays: DailyRecord {
  /// Makes the only value there is, which holds nothing.
  public init() {}
}

/// The ID of one entity, which says what it is.
public struct ID<R: Record>: Sendable, Hashable, CustomStringConvertible {
  /// 1–128 of `A–Z a–z 0–9 . _ ~ -`.
  public let key: String

  /// Nil if `key` breaks its rule.
  public init?(_ key: String) {
    guard let entity = EntityID(kind: "a", key: key) else { return nil }
    self.key = entity.key
  }

  /// Nil for an entity of another kind.
  public init?(_ entity: EntityID) {
    guard entity.kind == R.schema.kind else { return nil }
    key = entity.key
  }

  /// `<kind>/<key>`.
  public var entity: EntityID { EntityID(trustedKind: R.schema.kind, key: key) }

  /// `<kind>/<key>`.
  public var description: String { entity.description }
}

/// A link to another entity: a register of it holds `<kind>/<key>`.
extension ID: JSONConvertible {
  /// A string `<kind>/<key>` of the record's kind.
  public static var valueRule: ValueRule { .entity(kind: R.schema.kind) }
  /// Nil for what is no such string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json, let entity = EntityID(text) else { return nil }
    self.init(entity)
  }
  /// The string `<kind>/<key>`.
  public var json: JSONValue { .string(description) }
}

extension ID: Codable {
  /// Reads `<kind>/<key>`.
  public init(from decoder: any Decoder) throws {
    self = try decoder.spelled { text in EntityID(text).flatMap { ID($0) } }
  }

  /// Writes `<kind>/<key>`.
  public func encode(to encoder: any Encoder) throws { try encoder.spell(description) }
}
