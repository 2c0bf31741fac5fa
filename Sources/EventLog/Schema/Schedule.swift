/// How often to do something: a number of times in a number of days.
public struct Schedule: Sendable, Hashable {
  /// The number of times, from 1 to ``days``.
  public let times: Int
  /// The number of days, from ``times`` to 366.
  public let days: Int

  /// Creates a schedule from a string in the form `<times>/<days>`, such as `3/7`.
  ///
  /// Returns `nil` if `text` isn't valid.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let times = Int(parts[0]), let days = Int(parts[1]),
      String(times) == parts[0], String(days) == parts[1], times >= 1, times <= days, days <= 366
    else { return nil }
    self.times = times
    self.days = days
  }

  /// Once a day.
  public static let daily = Schedule(times: 1, days: 1)

  private init(times: Int, days: Int) {
    self.times = times
    self.days = days
  }

  package init?(quoted: [UInt8]) {
    self.init(String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
  }
}
