extension SchemaCatalog {
  /// The collections that every store knows.
  public static let standard = SchemaCatalog(
    [.profile, .settings, .habits],
    reservedFieldNames: [
      "id", "archived", "contested", "deleted", "presence", "progress", "completed", "skipped",
      "habit", "date",
    ])
}
