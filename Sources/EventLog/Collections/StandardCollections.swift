extension SchemaCatalog {
  /// The core: the collections that every store knows.
  public static let standard = SchemaCatalog(
    trusted: core, reservedFieldNames: reservedNames)

  /// The core and the further declarations that come with the library; the command knows these.
  public static let bundled = SchemaCatalog(
    trusted: core + further, reservedFieldNames: reservedNames)

  private static let core: [CollectionSchema] = [.profile, .settings, .habits]

  private static let further = [
    FoodEntry.schema.collection, WeightEntry.schema.collection, UseByItem.schema.collection,
    Drink.schema.collection, FastingPlan.schema.collection, Fast.schema.collection,
    Reaction.schema.collection, Favourites.schema.collection, Allergens.schema.collection,
  ]

  private static let reservedNames: Set<String> = [
    "id", "archived", "contested", "deleted", "presence", "progress", "completed", "skipped",
    "habit", "date",
  ]
}
