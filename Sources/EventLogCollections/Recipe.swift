public import EventLog
public import EventLogAttachments

/// A recipe with an image.
///
/// Its author and its sync status aren't fields, because the journal contains both:
/// `Snapshot.origin(of:in:)` returns the event that wrote a value, and `Replicator.Status` lists
/// the events that a remote is missing.
public struct Recipe: Record {
  /// The title.
  public var title = ""
  /// The ingredients in order, each with its amount. Concurrent edits of the list conflict.
  public var ingredients: [String] = []
  /// The steps in order. Concurrent edits of the list conflict.
  public var instructions: [String] = []
  /// The cuisine, such as Italian.
  public var cuisine: String?
  /// The difficulty: easy, medium, hard, or another word.
  public var difficulty: String?
  /// The preparation time in minutes.
  public var prepTime: Int?
  /// The cooking time in minutes.
  public var cookTime: Int?
  /// The number of servings.
  public var servings: Int?
  /// Dietary notes, such as vegan. Concurrent additions are all kept.
  public var dietaryNotes: Set<String> = []
  /// The image.
  public var image: Attachment?
  /// Whether the person wants to share the recipe with others.
  public var isPublic = false

  /// Creates a recipe without a title.
  public init() {}

  /// The declaration of the collection `recipe`.
  public static let schema = Schema<Recipe>(
    "recipe",
    [
      .register("title", \.title),
      .register("ingredients", \.ingredients, note: "in order, each with its amount"),
      .register("instructions", \.instructions, note: "the steps in order"),
      .register("cuisine", \.cuisine),
      .register("difficulty", \.difficulty, note: "easy, medium, hard, or another word"),
      .register("prepTime", \.prepTime, .wholeNumber(from: 0), note: "in minutes"),
      .register("cookTime", \.cookTime, .wholeNumber(from: 0), note: "in minutes"),
      .register("servings", \.servings, .wholeNumber(from: 1)),
      .members("dietaryNotes", \.dietaryNotes), .register("image", \.image),
      .register("isPublic", \.isPublic),
    ])
}
