extension Day {
  /// Nil if there is no such day in the Gregorian calendar, or outside the years 0000–9999.
  public init?(year: Int, month: Int, day: Int) {
    guard let number = CivilDay.number(year: year, month: month, day: day) else { return nil }
    self.number = number
  }

  /// The current day where this process runs, as the system's zone has it.
  public static var today: Day { Day(Timestamp(milliseconds: systemWallMilliseconds())!) }

  /// The day of a moment where this process runs, as the system's zone has it.
  public init(_ time: Timestamp) {
    let seconds = time.milliseconds.floored(by: 1000)
    self.init(time, secondsEastOfUTC: systemSecondsEastOfUTC(at: seconds))
  }

  /// The day of a moment so far east of UTC.
  init(_ time: Timestamp, secondsEastOfUTC offset: Int64) {
    let local = time.milliseconds.floored(by: 1000) + offset
    let number = local.floored(by: 86_400)
    self.number = Int32(min(max(number, Self.range.lowerBound), Self.range.upperBound))
  }

  /// 0–9999.
  public var year: Int { CivilDay.components(of: Int(number)).year }

  /// 1–12.
  public var month: Int { CivilDay.components(of: Int(number)).month }

  /// 1–31.
  public var dayOfMonth: Int { CivilDay.components(of: Int(number)).day }

  /// 1 for Monday to 7 for Sunday (ISO 8601).
  public var weekday: Int { Int((number + 719_533) % 7) + 1 }
}

/// Days can be counted, and ranges of them gone through: `for day in monday...sunday`.
extension Day: Strideable {
  /// How many days `other` is later.
  public func distance(to other: Day) -> Int { Int(other.number) - Int(number) }

  /// The day so many days later, or earlier.
  ///
  /// - Precondition: it is within the years 0000–9999.
  public func advanced(by days: Int) -> Day {
    let (number, isTooFar) = Int64(number).addingReportingOverflow(Int64(days))
    precondition(!isTooFar && Self.range.contains(number), "There is no such day.")
    return Day(number: Int32(number))
  }

  /// Whether both are the same day. Without this, `Strideable` would compare by distance.
  public static func == (left: Day, right: Day) -> Bool { left.number == right.number }
}

extension Int64 {
  /// The quotient, rounded down.
  fileprivate func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
