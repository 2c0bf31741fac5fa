import EventLog
import EventLogCollections

extension CollectionSchema {
  /// A collection as an app might declare it, with every mechanism on the entity.
  static let food = CollectionSchema(
    kind: "food", section: "foods", isSingleton: false,
    fields: [
      FieldSchema("name", .register(.text)), FieldSchema("kcal", .register(.quantity)),
      FieldSchema("eaten", .counter), FieldSchema("tags", .members),
    ],
    takesFurtherFields: false,
    events: [
      EventSchema("food.created", writesFields: true, lifecycle: .begins, summary: ""),
      EventSchema("food.edited", writesFields: true, summary: ""),
      EventSchema("food.deleted", lifecycle: .deletes, summary: ""),
      EventSchema("food.restored", lifecycle: .restores, summary: ""),
      EventSchema("food.counted", [MemberSchema("to", .set(field: "eaten"))], summary: ""),
      EventSchema("food.advanced", [MemberSchema("by", .advance(field: "eaten"))], summary: ""),
      EventSchema(
        "food.included", [MemberSchema("key", .key), MemberSchema("members", .include)],
        summary: ""),
      EventSchema(
        "food.excluded", [MemberSchema("key", .key), MemberSchema("members", .exclude)],
        summary: ""),
    ])
}

extension SchemaCatalog {
  /// The standard collections and three of an app: ``CollectionSchema/food``, which declares its
  /// event types, and ``CollectionSchema/meal`` and ``CollectionSchema/diet``, whose types are
  /// derived.
  static let withFood = try! SchemaCatalog.standard.adding([.food, .meal, .diet])
}
