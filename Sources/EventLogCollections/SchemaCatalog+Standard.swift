public import EventLog

extension SchemaCatalog {
  /// The core collections: profile, settings, and habits.
  ///
  /// The command shows these by default.
  public static let standard = SchemaCatalog(trusted: core)

  /// All collections of this module.
  ///
  /// The command knows these.
  public static let bundled = SchemaCatalog(trusted: core + further)

  private static let core: [CollectionSchema] = [.profile, .settings, .habits]

  private static let further = [
    FoodEntry.schema.collection, WeightEntry.schema.collection, UseByItem.schema.collection,
    Drink.schema.collection, FastingPlan.schema.collection, Fast.schema.collection,
    Reaction.schema.collection, Favourites.schema.collection, Allergens.schema.collection,
    Recipe.schema.collection,
  ]
}
