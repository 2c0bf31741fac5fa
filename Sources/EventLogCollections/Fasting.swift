public import EventLog

/// How a person means to fast.
public struct FastingPlan: Record {
  public var name = ""
  public var fastingHours: Double?
  public var eatingHours: Double?
  /// When a fast usually begins, as the clock shows it, for example `20:00`.
  public var startsAt: String?
  /// `mon` to `sun`; none: every day.
  public var weekdays: Set<String> = []
  public var note: String?

  public init() {}

  public static let schema = Schema<FastingPlan>(
    "fasting-plan", section: "fastingPlans",
    [
      .register("name", \.name), .register("fastingHours", \.fastingHours, .quantity),
      .register("eatingHours", \.eatingHours, .quantity),
      .register("startsAt", \.startsAt, note: "as the clock shows it, for example 20:00"),
      .members("weekdays", \.weekdays, note: "mon to sun; none: every day"),
      .register("note", \.note),
    ])
}

/// One fast, from its start on.
///
/// A timer is not state: how long it has lasted follows from `start`. It runs while `end` is
/// absent, and ending it on two devices at different moments is a conflict about `end`.
public struct Fast: Record {
  public var start: Timestamp?
  public var end: Timestamp?
  /// The hours meant when it began, whatever becomes of the plan.
  public var goalHours: Double?
  public var plan: ID<FastingPlan>?
  /// How it went, in the person's own word.
  public var feeling: String?
  public var note: String?

  public init() {}

  public static let schema = Schema<Fast>(
    "fast",
    [
      .register("start", \.start), .register("end", \.end, note: "absent while it runs"),
      .register("goalHours", \.goalHours, .quantity), .register("plan", \.plan),
      .register("feeling", \.feeling), .register("note", \.note),
    ])
}
