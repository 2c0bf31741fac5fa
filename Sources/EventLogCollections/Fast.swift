public import EventLog

/// A single fast.
///
/// The elapsed time isn't stored, because it follows from ``start``. The fast is in progress while
/// ``end`` is `nil`. If two devices concurrently end it at different times, the result is a
/// conflict.
///
/// Events can write further fields, such as an app's snooze. To read them, declare a record of your
/// own with `Schema(of:)`.
public struct Fast: Record {
  /// The start of the fast.
  public var start: Timestamp?
  /// The end of the fast, or `nil` while it is in progress.
  public var end: Timestamp?
  /// The intended length in hours when the fast began.
  ///
  /// Later changes to the plan don't affect it.
  public var goalHours: Double?
  /// The plan that the fast follows.
  public var plan: ID<FastingPlan>?
  /// A word for how the fast went.
  public var feeling: String?
  /// A note in the person's own words.
  public var note: String?

  /// Creates an empty record.
  public init() {}

  /// The declaration of the collection `fast`.
  public static let schema = Schema<Fast>(
    "fast",
    [
      .register("start", \.start),
      .register("end", \.end, note: "absent while the fast is running"),
      .register("goalHours", \.goalHours, .quantity), .register("plan", \.plan),
      .register("feeling", \.feeling), .register("note", \.note),
    ], takesFurtherFields: true)
}
