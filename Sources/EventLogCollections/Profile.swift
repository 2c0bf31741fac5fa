public import EventLog

/// Who the person is.
public struct Profile: Record {
  /// The person's given name; nil: not said.
  public var firstName: String?
  /// The person's family name; nil: not said.
  public var lastName: String?
  /// As it was given; a date of birth says more.
  public var age: Int?
  /// The date on which the person was born, stored as `dob`; nil: not said.
  public var dateOfBirth: Day?
  /// The birthday as a full date, apart from `dateOfBirth`; nil: not said.
  public var birthday: Day?
  /// In cm.
  public var height: Double?
  /// In kg; a course of it is a collection of its own.
  public var weight: Double?

  /// Begins with nothing filled in.
  public init() {}

  /// Declares `profile`, of which there is only one.
  public static let schema = Schema<Profile>(
    singleton: "profile",
    [
      .register("firstName", \.firstName), .register("lastName", \.lastName),
      .register("age", \.age, .any),
      .register("dob", \.dateOfBirth, note: "date of birth"), .register("birthday", \.birthday),
      .register("height", \.height, .quantity, note: "in cm"),
      .register("weight", \.weight, .quantity, note: "in kg"),
    ],
    takesFurtherFields: true,
    events: [
      EventSchema(
        "profile.updated", writesFields: true, summary: "Writes the fields that it names.")
    ])
}

extension CollectionSchema {
  /// Who the person is: one set of registers.
  public static let profile = Profile.schema.collection
}
