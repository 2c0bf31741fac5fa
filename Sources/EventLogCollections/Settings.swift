public import EventLog

extension CollectionSchema {
  /// The person's choices: registers under any key, and sets under keys that inclusions name.
  ///
  /// No key is declared. An app sees those that it uses as a ``Record`` of its own, by
  /// ``Schema/init(of:_:days:)``.
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
