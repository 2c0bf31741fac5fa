import EventLog

extension CollectionSchema {
  /// Every mechanism, on the entity and on its days, with derived event types.
  static let meal = CollectionSchema(
    kind: "meal",
    fields: [
      FieldSchema("name", .register(.text)), FieldSchema("kcal", .register(.quantity)),
      FieldSchema("servings", .counter), FieldSchema("tags", .members),
    ],
    dayFields: [
      FieldSchema("mood", .register(.text)), FieldSchema("ml", .counter),
      FieldSchema("symptoms", .members),
    ])

  /// Every mechanism on a singleton.
  static let diet = CollectionSchema(
    kind: "diet", isSingleton: true,
    fields: [
      FieldSchema("plan", .register(.text)), FieldSchema("cheats", .counter),
      FieldSchema("avoided", .members),
    ])
}
