import EventLog

/// The time at which a person's days begin: the setting `dayStartsAt`.
struct DayStart {
  /// The time, as seconds after midnight.
  let seconds: Int64
  /// A note about a setting that isn't a time of day, or nil.
  let note: String?

  init(_ snapshot: Snapshot) {
    let setting = snapshot.singleton("settings").first { $0.name.hasBytes(of: "dayStartsAt") }
    guard let value = setting?.shown else {
      (seconds, note) = (0, nil)
      return
    }
    if case .string(let text) = value, let time = Self.seconds(text) {
      (seconds, note) = (time, nil)
    } else {
      seconds = 0
      note =
        "The setting dayStartsAt is \(Visible.text(value.text)), which is no time of day HH:MM."
        + " Days begin at midnight."
    }
  }

  /// Returns the seconds after midnight of a time HH:MM, or nil.
  private static func seconds(_ text: String) -> Int64? {
    guard let match = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/) else { return nil }
    return Int64(match.1)! * 3600 + Int64(match.2)! * 60
  }

  /// Today, in this machine's time zone.
  var today: Day {
    Day(Timestamp(milliseconds: WallClock.system.now())!, secondsAfterMidnight: seconds)
  }

  /// Returns the local day of a valid time as it was typed.
  ///
  /// A time with an offset is local there. One in UTC is local to no person, so its day is that of
  /// this machine's time zone.
  func day(of time: String) -> Day? {
    if time.uppercased().hasSuffix("Z") {
      return Timestamp(time).map { Day($0, secondsAfterMidnight: seconds) }
    }
    let clock = time.dropFirst(11).prefix(8).split(separator: ":").compactMap { Int64($0) }
    guard let day = Day(String(time.prefix(10))), clock.count == 3 else { return nil }
    let isBefore = clock[0] * 3600 + clock[1] * 60 + clock[2] < seconds
    return isBefore && day.number > Day.range.lowerBound ? day.advanced(by: -1) : day
  }
}
