import EventLog
import EventLogTesting

/// The completed days of a habit, found by looking at each day and the days before it.
struct ReferenceCompletion {
  private(set) var completed: Set<String> = []

  /// - Parameter days: The habit's days, in order.
  init(_ habit: ReferenceState.Row, _ days: [ReferenceState.Row]) {
    func number(_ row: ReferenceState.Row) -> Int32 { Day(row.day!)!.number }
    func shown(_ row: ReferenceState.Row, _ field: String) -> JSONValue? {
      row.fields.first { $0.name == field && !$0.value.isUnreadable }
        .map(\.value.value).flatMap { $0 == .null ? nil : $0 }
    }
    func value(_ field: String, _ day: String) -> JSONValue? {
      let value = habit.entries[field]?.last { $0.from <= day }?.value
      return value == .null ? nil : value
    }
    var progress: [Int32: Int128] = [:]
    /// The skipped days that aren't completed.
    var left: Set<Int32> = []
    var last: Int32?
    for day in days {
      let isSkipped = shown(day, "skipped") != nil
      guard let amount = shown(day, "progress").flatMap(ReferenceValue.amount) else {
        if isSkipped { left.insert(number(day)) }
        continue
      }
      let isLimit = value("target", day.day!) == "atMost"
      let period = value("period", day.day!).flatMap(ReferenceValue.integer) ?? 1
      var goal = value("goal", day.day!).flatMap(ReferenceValue.amount) ?? 1_000_000
      if !isLimit, goal == 0 { goal = 1_000_000 }
      var sum = amount
      var counted: Int64 = 1
      var other = number(day) - 1
      while counted < period, isLimit || last.map({ other > $0 }) ?? true {
        if !left.contains(other) {
          sum += progress[other] ?? 0
          counted += 1
        }
        other -= 1
      }
      if isLimit ? sum <= goal : sum >= goal {
        completed.insert(day.day!)
        last = number(day)
      } else if isSkipped {
        left.insert(number(day))
        continue
      }
      progress[number(day)] = amount
    }
  }
}
