/// Receives the events of a replay as the bytes of their lines, without creating an ``Event``.
package protocol LineVisitor {
  /// Whether the visitor reads the members of `data`.
  var wantsData: Bool { get }
  /// Whether the visitor needs no more events.
  var isDone: Bool { get }
  /// Called once, before the first event.
  mutating func begin(_ known: KnownEvents)
  /// Receives an event. `line` contains the bytes in the file, without the LF.
  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>)
}

extension LineVisitor {
  /// Visits an event whose line was read before.
  package mutating func visit(line: [UInt8]) {
    var sink = VisitedLines(visitor: self)
    var scanner = LineScanner()
    scanner.scan(line + [0x0A], at: 0, number: 1, into: &sink)
    self = sink.visitor
  }
}

extension Journal {
  /// Passes the journal's events to a visitor, in an order that respects causality.
  ///
  /// Each event follows all events that it has seen. Otherwise, the events are in the order of the
  /// file.
  ///
  /// - Returns: The findings of the reading, and warnings.
  /// - Throws: The errors of ``snapshot(at:includingDeleted:)``.
  /// - Complexity: O(*n*), where *n* is the size of the file. The file is read twice. If the first
  ///   reading finds nothing wrong, the second one doesn't check the bytes again.
  package func visit<Visitor: LineVisitor>(
    at cut: Cut? = nil, by visitor: inout Visitor
  ) throws(EventLogError) -> (findings: JournalFindings, warnings: [JournalProblem]) {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let first = try resolve(cut ?? Cut(), file)
    visitor.begin(KnownEvents(first.pass.ledger))
    var end = first.end
    let rereading = JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : first.pass.endOffset, after: first.pass)
    var report = first.pass.report
    if rereading.isTrusting, end.doubtfulTail == nil, first.pass.hasConverged {
      let sink = CutSink(VisitorSink(visitor), first.cut)
      let pass = try rereading.pass(sink, like: first.pass)
      visitor = pass.sink.inner.visitor
      if !visitor.isDone { report = pass.report }
    } else {
      let sink = CutSink(VisitorSink(visitor, mayRestart: true), first.cut)
      var pass: JournalPass<CutSink<VisitorSink<Visitor>>>
      (pass, end) = try read(file, from: JournalPass(sink: sink, after: first.pass.ledger.begun))
      visitor = pass.sink.inner.visitor
      report = pass.report
    }
    return (report, tailProblems(end))
  }
}

/// Forwards lines that are known to be events.
struct VisitedLines<Visitor: LineVisitor>: LineSink {
  var visitor: Visitor
  var isStopped: Bool { visitor.isDone }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    if !isStopped { visitor.visit(layout, canonical: canonical, line: line) }
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

/// Forwards the events of a reading.
private struct VisitorSink<Visitor: LineVisitor>: EventSink {
  var visitor: Visitor
  /// The forwarded events, or nil if the reading can't restart.
  private var delivered: DeliveredEvents?

  init(_ visitor: Visitor, mayRestart: Bool = false) {
    self.visitor = visitor
    if mayRestart { delivered = DeliveredEvents() }
  }

  /// A reading that also looks for damage continues to the end.
  var isFull: Bool { delivered == nil && visitor.isDone }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { visitor.wantsData }

  /// Does nothing: `delivered` keeps events from being forwarded again.
  mutating func restart(_ blank: VisitorSink) {}

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    if visitor.isDone { return }
    if delivered?.add(FullEventID(layout, canonical)) == false { return }
    visitor.visit(layout, canonical: canonical, line: line)
  }
}
