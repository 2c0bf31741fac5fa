public import EventLog

/// How a person means to fast.
public struct FastingPlan: Record {
  /// What the person calls the plan, for example 16:8.
  public var name = ""
  /// How many hours a fast is meant to last; nil: not said.
  public var fastingHours: Double?
  /// How many hours between two fasts are for eating; nil: not said.
  public var eatingHours: Double?
  /// When a fast usually begins, as the clock shows it, for example `20:00`.
  public var startsAt: String?
  /// `mon` to `sun`; none: every day.
  public var weekdays: Set<String> = []
  /// Anything else about the plan, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins without a name, hours and weekdays.
  public init() {}

  /// Declares `fasting-plan`, whose plans stand in the section `fastingPlans`.
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
  /// When it began; nil: not said.
  public var start: Timestamp?
  /// When it ended; nil while it runs.
  public var end: Timestamp?
  /// The hours meant when it began, whatever becomes of the plan.
  public var goalHours: Double?
  /// The plan that it follows; nil: none.
  public var plan: ID<FastingPlan>?
  /// How it went, in the person's own word.
  public var feeling: String?
  /// Anything else about it, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins with nothing filled in.
  public init() {}

  /// Declares `fast`, an entity for each fast.
  public static let schema = Schema<Fast>(
    "fast",
    [
      .register("start", \.start), .register("end", \.end, note: "absent while it runs"),
      .register("goalHours", \.goalHours, .quantity), .register("plan", \.plan),
      .register("feeling", \.feeling), .register("note", \.note),
    ])
}
