import EventLog

extension OptionSpec {
  static let cutAt = OptionSpec(
    "at", "TIME|EVENT-ID", "only events up to a time, or an event and all that it had seen")
  static let cutAs = OptionSpec(
    "as", "DEVICE|EVENT-ID",
    "only what a device had seen when it wrote its last event, or this event")
  static let today = OptionSpec(
    "today", "DAY", "the day up to which streaks and points count")
}

extension Arguments {
  /// Returns the day of `--today`, or nil.
  func today(_ verb: String) throws(EventLogError) -> Day? {
    guard let text = self["today"] else { return nil }
    guard let day = Day(text) else {
      throw .usage(
        "--today takes a date, and \"\(Visible.text(text))\" is none.", verb,
        hint: "A date is written YYYY-MM-DD: 2026-01-28.")
    }
    return day
  }

  /// Returns the part of the journal that `--at` and `--as` select, or nil for all of it.
  func cut(_ verb: String) throws(EventLogError) -> Cut? {
    var cut = Cut()
    if let text = self["at"] {
      if let time = Timestamp(text) {
        cut.time = time
      } else if let event = EventID(text) {
        cut.event = event
      } else {
        throw .usage(
          "--at takes a time or an event ID, and \"\(Visible.text(text))\" is neither.", verb,
          hint: Day(text).map { "For the end of that day in UTC, use --at \($0)T23:59:59Z." }
            ?? (Self.missingDay(text).map { "\($0) is not a date. " } ?? "")
            + "A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00. An event ID is"
            + " <device>:<number>, followed by ~<chain> if two events share it.")
      }
    }
    if let text = self["as"] {
      if let device = DeviceID(text) {
        cut.device = device
      } else if let tip = FullEventID(text) {
        cut.tip = tip
      } else {
        throw .usage(
          "--as takes a device ID or a full event ID, and \"\(Visible.text(text))\" is"
            + " neither.", verb,
          hint:
            "eventlog status \(operands.first.map(ShellWord.path) ?? "JOURNAL") lists the devices."
            + " A full event ID is <device>:<number>~<chain>.")
      }
    }
    return cut.isWhole ? nil : cut
  }

  /// Returns the date at the start of a time, if it is well-formed but doesn't exist.
  static func missingDay(_ text: String) -> Substring? {
    let day = text.prefix(10)
    return day.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil && Day(String(day)) == nil
      ? day : nil
  }

  /// Returns the options that select the same part, to append to a printed command.
  func cutOptions() throws(EventLogError) -> String {
    var options = ""
    // Print parsed values, which need no quoting, instead of the typed text.
    if let time = try cut("project")?.time { options += " --at \(time)" }
    if let event = try cut("project")?.event { options += " --at \(event)" }
    if let device = try cut("project")?.device { options += " --as \(device)" }
    if let tip = try cut("project")?.tip { options += " --as \(tip)" }
    return has("deleted") ? options + " --deleted" : options
  }
}
