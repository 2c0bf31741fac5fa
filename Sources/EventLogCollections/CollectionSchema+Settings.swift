public import EventLog

extension CollectionSchema {
  /// A person's settings: registers and sets under any key.
  ///
  /// No keys are declared. To use some of them in your app, declare a record of your own with
  /// `Schema(of: .settings, […])`.
  public static let settings = CollectionSchema(
    kind: "settings", section: "settings", isSingleton: true, fields: [],
    takesFurtherFields: true,
    events: [
      EventSchema(
        "settings.changed", writesFields: true, summary: "Writes the given keys."),
      EventSchema(
        "settings.included", [MemberSchema("key", .key), MemberSchema("members", .include)],
        summary: "Adds texts to the set under a key."),
      EventSchema(
        "settings.excluded", [MemberSchema("key", .key), MemberSchema("members", .exclude)],
        summary: "Removes texts from the set under a key."),
    ])
}
