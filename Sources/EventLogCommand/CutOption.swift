import EventLog

extension OptionSpec {
  static let cutAt = OptionSpec(
    "at", "TIME|EVENT-ID", "only events up to a time, or an event and all it had seen")
  static let cutAs = OptionSpec(
    "as", "DEVICE", "only what a device held when it wrote its last event")
}

extension Arguments {
  /// The part of the journal that `--at` and `--as` name; nil: all of it.
  func cut(_ verb: String) throws(EventLogError) -> Cut? {
    var cut = Cut()
    if let text = self["at"] {
      if let time = Timestamp(text) {
        cut.time = time
      } else if let event = EventID(text) {
        cut.event = event
      } else {
        throw .usage(
          "--at takes a time or an event ID, and \"\(Table.cell(text))\" is neither.", verb,
          hint: "A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00. An event ID is"
            + " <device>:<number>.")
      }
    }
    if let text = self["as"] {
      guard let device = DeviceID(text) else {
        throw .usage(
          "--as takes the ID of a device, and \"\(Table.cell(text))\" is none.", verb,
          hint: "eventlog status lists the devices.")
      }
      cut.device = device
    }
    return cut.isWhole ? nil : cut
  }

  /// The options that show the same part again, to stand behind a command that a report names.
  func cutWords() throws(EventLogError) -> String {
    var words = ""
    // As the part is spelled here: a word of the shell, whatever was typed.
    if let time = try cut("project")?.time { words += " --at \(time)" }
    if let event = try cut("project")?.event { words += " --at \(event)" }
    if let device = try cut("project")?.device { words += " --as \(device)" }
    return has("deleted") ? words + " --deleted" : words
  }
}
