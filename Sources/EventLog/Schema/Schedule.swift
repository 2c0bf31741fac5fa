/// How often to do something: a number of times in a number of days.
public struct Schedule: Sendable, Hashable {
  /// The number of times, from 1 to ``days``.
  public let times: Int
  /// The number of days, from ``times`` to 366.
  public let days: Int

  /// Creates a schedule from a string in the form `<times>/<days>`, such as `3/7`.
  ///
  /// Returns `nil` if `text` isn't valid.
  public init?(_ text: String) { self.init(bytes: text.utf8) }

  package init?(quoted: [UInt8]) { self.init(bytes: quoted.dropFirst().dropLast()) }

  private init?(bytes: some Collection<UInt8>) {
    var (times, days, isPastSlash) = (0, 0, false)
    for byte in bytes {
      let digit = Int(byte) - 0x30
      let number = isPastSlash ? days : times
      if byte == UInt8(ascii: "/"), !isPastSlash {
        isPastSlash = true
      } else if (0...9).contains(digit), number > 0 || digit > 0, number < 100 {
        if isPastSlash { days = number * 10 + digit } else { times = number * 10 + digit }
      } else {
        return nil
      }
    }
    guard 1 <= times, times <= days, days <= 366 else { return nil }
    self.init(times: times, days: days)
  }

  /// Once a day.
  public static let daily = Schedule(times: 1, days: 1)

  private init(times: Int, days: Int) {
    self.times = times
    self.days = days
  }
}
