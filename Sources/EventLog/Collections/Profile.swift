extension CollectionSchema {
  /// Who the person is: one set of registers.
  public static let profile = CollectionSchema(
    kind: "profile", section: "profile", isSingleton: true,
    fields: [
      FieldSchema("firstName", .register(.text)),
      FieldSchema("lastName", .register(.text)),
      FieldSchema("age", .register(.any)),
      FieldSchema("dob", .register(.date), note: "date of birth"),
      FieldSchema("birthday", .register(.date)),
      FieldSchema("height", .register(.quantity), note: "in cm"),
      FieldSchema("weight", .register(.quantity), note: "in kg"),
    ],
    takesFurtherFields: true,
    events: [
      EventSchema(
        "profile.updated", writesFields: true, summary: "Writes the fields that it names.")
    ])
}
