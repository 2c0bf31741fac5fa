import EventLog

/// Prints events as they come, or the last of them.
struct EventPrinter: LineVisitor {
  private let journal: Journal
  private let filter: EventFilter
  private let console: Console
  /// Whether further events may come.
  private let isFollowing: Bool
  private var text: EventText
  /// What there is besides the event at hand; nil where nothing of it is printed.
  private var known: KnownEvents?
  private var kept = KeptLines()
  private var keepsLast: Bool
  /// What there is, until an event was let through.
  private(set) var seen: SeenNames? = SeenNames()
  /// Why nothing more can be printed.
  private(set) var failure: Terminal.WriteFailure?

  init(
    _ journal: Journal, _ filter: EventFilter, _ console: Console, isFollowing: Bool = false
  ) {
    self.journal = journal
    self.filter = filter
    self.console = console
    self.isFollowing = isFollowing
    text = EventText(console)
    keepsLast = filter.last != nil
  }

  var isDone: Bool { failure != nil }
  var wantsData: Bool { !console.isJSON && !keepsLast }

  /// Whether anything but the event at hand is printed.
  var wantsKnown: Bool { !console.isJSON || filter.showsClocks }

  mutating func begin(_ known: KnownEvents) {
    guard wantsKnown else { return }
    // Where no short ID names two events, nothing of it is needed.
    if filter.showsClocks || isFollowing || known.hasForks { self.known = known }
  }

  /// Prints an event, or keeps it until it is known to be among the last.
  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>) {
    guard filter.takes(layout, canonical) else {
      seen?.note(layout, canonical)
      return
    }
    seen = nil
    if keepsLast, let last = filter.last { return kept.add(line, atMost: last) }
    do throws(Terminal.WriteFailure) { try print(layout, canonical, line) } catch {
      failure = error
    }
  }

  /// Prints those that were kept; from now on each is printed as it comes.
  mutating func printLast() {
    keepsLast = false
    for line in kept.last(filter.last ?? 0) where !isDone { visit(line: line) }
    kept = KeptLines()
  }

  private mutating func print(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) throws(Terminal.WriteFailure) {
    let id = known == nil ? nil : FullEventID(layout, canonical)
    if isFollowing, let id, known?.holds(id) == false, let news = try? journal.knownEvents() {
      // It was appended meanwhile.
      known = news
    }
    let clock = filter.showsClocks ? id.flatMap { known?.clock(of: $0).tips } ?? [] : []
    guard console.isJSON else {
      let showsChain = id.map { known?.id(of: $0).chain != nil } ?? false
      return try console.printLine {
        text.write(layout, canonical, showsChain: showsChain, clock: clock, to: &$0)
      }
    }
    guard filter.showsClocks else { return try console.printLine { line.append(to: &$0) } }
    let tips = clock.map { "\"\($0)\"" }.joined(separator: ",")
    try console.printLine { output in
      output += "{\"clock\":[\(tips)],\"event\":".utf8
      line.append(to: &output)
      output.append(UInt8(ascii: "}"))
    }
  }
}

/// The last lines of many.
private struct KeptLines {
  private var bytes: [UInt8] = []
  /// Where each line ends.
  private var ends: [Int] = []

  /// Keeps a line, and lets go of those that are no longer among the last `count`.
  mutating func add(_ line: Span<UInt8>, atMost count: Int) {
    line.append(to: &bytes)
    ends.append(bytes.count)
    let surplus = ends.count - count
    // Seldom and many at once, because the others move.
    guard surplus >= max(count, 1024) else { return }
    let offset = ends[surplus - 1]
    bytes.removeFirst(offset)
    ends.removeFirst(surplus)
    for index in ends.indices { ends[index] -= offset }
  }

  func last(_ count: Int) -> [[UInt8]] {
    ends.indices.suffix(count).map { index in
      Array(bytes[(index > 0 ? ends[index - 1] : 0)..<ends[index]])
    }
  }
}
