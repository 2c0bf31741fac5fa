import EventLog

/// Prints all events as they arrive, or only the last ones.
struct EventPrinter: LineVisitor {
  private let journal: Journal
  private let filter: EventFilter
  private let console: Console
  /// Whether appended events will follow.
  private let isFollowing: Bool
  private var text: EventText
  /// The journal's events, for clocks and ambiguous IDs; nil if these aren't printed.
  private var known: KnownEvents?
  private var kept = KeptLines()
  private var keepsLast: Bool
  /// The names in the events read; nil after an event has matched the filter.
  private(set) var seen: SeenNames? = SeenNames()
  /// The first failed write, after which nothing more is printed.
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

  /// Whether the output depends on more than the event itself.
  var wantsKnown: Bool { !console.isJSON || filter.showsClocks }

  mutating func begin(_ known: KnownEvents) {
    guard wantsKnown else { return }
    // Without forks, short IDs are unambiguous.
    if filter.showsClocks || isFollowing || known.hasForks { self.known = known }
  }

  /// Prints an event, or with `--last`, keeps it until the last events are known.
  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>) {
    guard filter.matches(layout, canonical) else {
      seen?.note(layout, canonical)
      return
    }
    seen = nil
    if keepsLast, let last = filter.last { return kept.add(line, atMost: last) }
    do throws(Terminal.WriteFailure) { try print(layout, canonical, line) } catch {
      failure = error
    }
  }

  /// Prints the kept events, and from now on each event as it arrives.
  mutating func printLast() {
    keepsLast = false
    for line in kept.last(filter.last ?? 0) where !isDone { visit(line: line) }
    kept = KeptLines()
  }

  private mutating func print(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ line: Span<UInt8>
  ) throws(Terminal.WriteFailure) {
    let id = known == nil ? nil : FullEventID(layout, canonical)
    if isFollowing, let id, known?.holds(id) == false, let newer = try? journal.knownEvents() {
      // The event was appended after `known` was read.
      known = newer
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
  /// The end offset of each line in `bytes`.
  private var ends: [Int] = []

  /// Keeps a line, and may drop lines that are followed by at least `count` others.
  mutating func add(_ line: Span<UInt8>, atMost count: Int) {
    line.append(to: &bytes)
    ends.append(bytes.count)
    let surplus = ends.count - count
    // Drop many lines at once, because dropping moves the others.
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
