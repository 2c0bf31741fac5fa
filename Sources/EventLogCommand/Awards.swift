import EventLog
import EventLogClouds
import EventLogCollections

/// The points of each day, as rows for documents: the section `awards` of a layout.
enum Awards {
  /// The section, or nothing if a schema file replaces the habits: such habits earn no points.
  ///
  /// - Parameter today: The day up to which days earn points, or nil for all days. The rows of a
  ///   document must not depend on the clock, or two machines would undo each other's writes.
  static func sections(_ catalog: SchemaCatalog, today: Day?) -> [String: DocumentLayout.Rows] {
    let isBundled =
      catalog.collection(kind: "habit") == SchemaCatalog.standard.collection(kind: "habit")
    return isBundled ? ["awards": { rows($0, today) }] : [:]
  }

  private static func rows(_ snapshot: Snapshot, _ today: Day?) -> [JSONObject] {
    let courses = snapshot.all(Habit.self).map { habit in
      let days = snapshot.days(of: habit.id).map { ($0.day, $0.value) }
      return Experience.Course(
        key: habit.id.key, habit: habit.value, versions: snapshot.versions(of: habit.id),
        days: Dictionary(days, uniquingKeysWith: { first, _ in first }))
    }
    return Experience(courses, today: today ?? Day.last).days.map { day in
      [
        "date": .string(day.day.description),
        "points": .number(JSONNumber(Int64(day.points))),
        "perfect": .bool(day.isPerfect),
        "completed": .array(day.completed.map { .string($0) }),
        "milestones": .array(
          day.milestones.map {
            ["habit": .string($0.habit), "length": .number(JSONNumber(Int64($0.length)))]
          }),
      ]
    }
  }
}
