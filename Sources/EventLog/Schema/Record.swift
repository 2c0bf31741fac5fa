/// A Swift type that represents the entities of a collection.
///
/// ```swift
/// struct Food: Record {
///   var name = "", kcal = 0, servings = Counter<Int>()
///   var tags: Set<String> = []
///   static let schema = Schema<Food>("food", [
///     .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
///     .members("tags", \.tags),
///   ])
/// }
/// ```
///
/// A property that was never written has the value that ``init()`` gives it. Counters must start
/// without a value, and sets must start empty.
public protocol Record: Sendable {
  /// The type of an entity's days, if the collection has days.
  associatedtype Daily: DailyRecord = NoDays
  /// Creates a record with the values of properties that were never written.
  init()
  /// The declaration of the collection, with the property for each field.
  static var schema: Schema<Self> { get }
}

/// A Swift type that represents the days of an entity.
public protocol DailyRecord: Sendable {
  /// Creates a record with the values of properties that were never written.
  init()
}

/// The days of a record without days.
public struct NoDays: DailyRecord {
  /// Creates the only value, which has no properties.
  public init() {}
}
