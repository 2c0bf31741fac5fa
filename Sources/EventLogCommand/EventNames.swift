import EventLog

/// How an event is called where a person reads it: by its short ID, or with its chain where that
/// would name two.
typealias EventNaming = (FullEventID) -> EventID
