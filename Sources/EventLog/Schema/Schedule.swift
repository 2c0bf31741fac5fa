/// How often something is meant to be done: so many times in so many days.
public struct Schedule: Sendable, Hashable {
  /// How many times it is meant to be done, from 1 to ``days``.
  public let times: Int
  /// In how many days it is meant to be done so often, from ``times`` to 366.
  public let days: Int

  /// Reads `<times>/<days>`; nil if `text` is anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let times = Int(parts[0]), let days = Int(parts[1]),
      String(times) == parts[0], String(days) == parts[1], times >= 1, times <= days, days <= 366
    else { return nil }
    self.times = times
    self.days = days
  }

  /// Every day.
  public static let daily = Schedule(times: 1, days: 1)

  private init(times: Int, days: Int) {
    self.times = times
    self.days = days
  }

  package init?(quoted: [UInt8]) {
    self.init(String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
  }
}
