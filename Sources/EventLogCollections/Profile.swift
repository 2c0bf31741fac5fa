public import EventLog

/// A person's profile.
public struct Profile: Record {
  /// The person's given name.
  public var firstName: String?
  /// The person's family name.
  public var lastName: String?
  /// The person's age when it was entered.
  ///
  /// Prefer ``dateOfBirth``.
  public var age: Int?
  /// The person's date of birth, stored in the field `dob`.
  public var dateOfBirth: Day?
  /// The person's birthday as a full date, independent of ``dateOfBirth``.
  public var birthday: Day?
  /// The person's height in cm.
  public var height: Double?
  /// The person's weight in kg.
  ///
  /// To record its development, use ``WeightEntry``.
  public var weight: Double?

  /// Creates an empty profile.
  public init() {}

  /// The declaration of the singleton `profile`.
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
        "profile.updated", writesFields: true, summary: "Writes the given fields.")
    ])
}

extension CollectionSchema {
  /// The person's profile.
  public static let profile = Profile.schema.collection
}
