import EventLog

/// Prints events as they come, or the last of them.
struct EventPrinter {
  private let journal: Journal
  private let filter: EventFilter
  private let console: Console
  /// What there is besides the event at hand; nil where nothing of it is printed.
  private var known: KnownEvents?
  private var kept: [(event: Event, line: [UInt8])] = []
  private var keepsLast: Bool

  /// - Parameter isFollowing: whether further events may come.
  init(
    _ journal: Journal, _ filter: EventFilter, _ console: Console, isFollowing: Bool = false
  ) throws(EventLogError) {
    self.journal = journal
    self.filter = filter
    self.console = console
    keepsLast = filter.last != nil
    guard !console.isJSON || filter.showsClocks else { return }
    let known = try journal.knownEvents()
    // Where no short ID names two events, nothing of it is needed.
    if filter.showsClocks || isFollowing || known.hasForks { self.known = known }
  }

  /// Prints an event, or keeps it until it is known to be among the last.
  mutating func take(_ event: Event, _ line: [UInt8]) throws(Terminal.WriteFailure) {
    guard keepsLast, let last = filter.last else { return try print(event, line) }
    kept.append((event, line))
    let surplus = kept.count - last
    if surplus >= max(last, 1024) { kept.removeFirst(surplus) }
  }

  /// Prints those that were kept; from now on each is printed as it comes.
  mutating func printLast() throws(Terminal.WriteFailure) {
    for (event, line) in kept.suffix(filter.last ?? 0) { try print(event, line) }
    kept = []
    keepsLast = false
  }

  private mutating func print(_ event: Event, _ line: [UInt8]) throws(Terminal.WriteFailure) {
    if known?.holds(event.fullID) == false, let news = try? journal.knownEvents() {
      // It was appended meanwhile.
      known = news
    }
    let clock = filter.showsClocks ? known?.clock(of: event.fullID).tips ?? [] : []
    guard console.isJSON else {
      return try console.print(
        Self.text(event, clock: clock, console) { known?.id(of: $0) ?? $0.shortID })
    }
    guard filter.showsClocks else { return try console.print(bytes: line) }
    let tips = clock.map { "\"\($0)\"" }.joined(separator: ",")
    try console.print(bytes: Array("{\"clock\":[\(tips)],\"event\":".utf8) + line + Array("}".utf8))
  }

  /// An event as a person reads it.
  static func text(
    _ event: Event, clock: [FullEventID] = [], _ console: Console, _ name: EventNaming
  ) -> String {
    let id = name(event.fullID)
    guard let at = event.at else {
      return "\(id)  an event of format version \(event.version)"
    }
    var parts = [
      console.styled(at.description, .dim), id.description, console.styled(event.type, .bold),
    ]
    if let entity = event.entity { parts.append(entity.description) }
    for member in event.data.members {
      let value: String
      if case .string(let text) = member.value { value = text } else { value = member.value.text }
      parts.append("\(Visible.text(member.name))=\(Visible.text(value))")
    }
    if !clock.isEmpty {
      let tips = clock.map(\.description).joined(separator: " ")
      parts.append(console.styled("clock \(tips)", .yellow))
    }
    return parts.joined(separator: "  ")
  }
}
