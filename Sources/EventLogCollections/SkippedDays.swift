package import EventLog

/// A calendar without the days that a person has skipped.
package struct SkippedDays: Sendable {
  /// The numbers of the skipped days, in order.
  private let skipped: [Int32]

  /// - Parameter completed: The completed days, in order. They count even if they are skipped.
  package init(_ skipped: Set<Day>, completed: [Day]) {
    let days = skipped.isEmpty ? skipped : skipped.subtracting(completed)
    self.skipped = days.map(\.number).sorted()
  }

  /// The number of a day in this calendar, in which consecutive days have consecutive numbers.
  ///
  /// A skipped day has the number of the next day that isn't skipped.
  ///
  /// - Complexity: O(log skipped days).
  package func number(_ day: Day) -> Int32 {
    day.number - Int32(skipped.partitioningIndex { $0 >= day.number })
  }
}
