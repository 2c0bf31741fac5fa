import EventLog

/// How an event is called where a person reads it: by its short ID, or with its chain where that
/// would name two.
typealias EventNaming = (FullEventID) -> EventID

extension EventRange {
  /// `<device>:<first>–<last>`, with the chain behind it where its last event needs it.
  func text(_ name: EventNaming) -> String {
    let end = name(end)
    return end.chain == nil ? description : description + end.description.suffix(9)
  }
}
