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
        "settings.changed", writesFields: true, summary: "Writes the keys that it names."),
      EventSchema(
        "settings.included", [MemberSchema("key", .key), MemberSchema("members", .include)],
        summary: "Takes texts into the set under a key."),
      EventSchema(
        "settings.excluded", [MemberSchema("key", .key), MemberSchema("members", .exclude)],
        summary: "Takes texts out of the set under a key."),
    ])
}
