public import EventLog

/// A plan for fasting.
public struct FastingPlan: Record {
  /// The name of the plan, such as `16:8`.
  public var name = ""
  /// The intended length of a fast in hours.
  public var fastingHours: Double?
  /// The length of the eating window in hours.
  public var eatingHours: Double?
  /// The usual start of a fast in local time, such as `20:00`.
  public var startsAt: String?
  /// The days of the week, from `mon` to `sun`.
  ///
  /// If empty, the plan applies to every day.
  public var weekdays: Set<String> = []
  /// A note in the person's own words.
  public var note: String?

  /// Creates a plan without a name, hours, and weekdays.
  public init() {}

  /// The declaration of the collection `fasting-plan`, with the section `fastingPlans`.
  public static let schema = Schema<FastingPlan>(
    "fasting-plan", section: "fastingPlans",
    [
      .register("name", \.name), .register("fastingHours", \.fastingHours, .quantity),
      .register("eatingHours", \.eatingHours, .quantity),
      .register("startsAt", \.startsAt, note: "local time, for example 20:00"),
      .members("weekdays", \.weekdays, note: "mon to sun; empty: every day"),
      .register("note", \.note),
    ])
}
