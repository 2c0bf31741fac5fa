extension Day {
  /// Creates a day from its date in the Gregorian calendar.
  ///
  /// Returns `nil` if the date doesn't exist or is outside the years 0000–9999.
  ///
  /// - Parameters:
  ///   - year: The year, 0–9999.
  ///   - month: The month, 1–12.
  ///   - day: The day of the month, 1–31.
  public init?(year: Int, month: Int, day: Int) {
    guard let number = CivilDay.number(year: year, month: month, day: day) else { return nil }
    self.number = number
  }

  /// The current day in the system's time zone.
  public static var today: Day { Day(Timestamp(milliseconds: WallClock.system.now())!) }

  /// Creates the day of a time in the system's time zone.
  public init(_ time: Timestamp) { self.init(time, secondsAfterMidnight: 0) }

  /// Creates the day of a time in the system's time zone.
  ///
  /// - Parameter start: The time at which a day begins, as seconds after midnight.
  package init(_ time: Timestamp, secondsAfterMidnight start: Int64) {
    let seconds = time.milliseconds.floored(by: 1000)
    self.init(time, secondsEastOfUTC: systemSecondsEastOfUTC(at: seconds) - start)
  }

  /// The day of a time, at an offset east of UTC.
  package init(_ time: Timestamp, secondsEastOfUTC offset: Int64) {
    let local = time.milliseconds.floored(by: 1000) + offset
    let number = local.floored(by: 86_400)
    self.number = Int32(min(max(number, Self.range.lowerBound), Self.range.upperBound))
  }

  /// The year, 0–9999.
  public var year: Int { CivilDay.components(of: Int(number)).year }

  /// The month, 1–12.
  public var month: Int { CivilDay.components(of: Int(number)).month }

  /// The day of the month, 1–31.
  public var dayOfMonth: Int { CivilDay.components(of: Int(number)).day }

  /// The day of the week, from 1 for Monday to 7 for Sunday (ISO 8601).
  public var weekday: Int { Int((number + 719_533) % 7) + 1 }
}

/// Days can be counted, and you can iterate over a range of them: `for day in monday...sunday`.
extension Day: Strideable {
  /// Returns the number of days from this day to another one.
  ///
  /// - Parameter other: The other day. If it is earlier, the result is negative.
  public func distance(to other: Day) -> Int { Int(other.number) - Int(number) }

  /// Returns the day that is a number of days later, or earlier if the number is negative.
  ///
  /// - Parameter days: The number of days.
  /// - Precondition: The result is within the years 0000–9999.
  public func advanced(by days: Int) -> Day {
    let (number, isTooFar) = Int64(number).addingReportingOverflow(Int64(days))
    precondition(!isTooFar && Self.range.contains(number), "There is no such day.")
    return Day(number: Int32(number))
  }

  /// Returns whether both are the same day.
  public static func == (left: Day, right: Day) -> Bool { left.number == right.number }
}

extension Int64 {
  /// The quotient, rounded down.
  fileprivate func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
