extension SchemaCatalog {
  /// The core: the collections that every store knows.
  public static let standard = SchemaCatalog(
    trusted: [.profile, .settings, .habits],
    reservedFieldNames: [
      "id", "archived", "contested", "deleted", "presence", "progress", "completed", "skipped",
      "habit", "date",
    ])
}
