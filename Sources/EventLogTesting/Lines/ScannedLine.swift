package import EventLog

/// One line as a scanner handed it over.
package enum ScannedLine: Hashable {
  /// With the canonical text of its data, which equality of events passes over.
  case event(Event, data: String)
  case fault(LineFault)

  package var event: Event? {
    if case .event(let event, _) = self { event } else { nil }
  }

  package var fault: LineFault? {
    if case .fault(let fault) = self { fault } else { nil }
  }

  package static func of(_ layout: LineLayout, canonical: Span<UInt8>) -> ScannedLine {
    let event = Event(layout, canonical: canonical)
    return .event(event, data: JSONValue.object(event.data).text)
  }
}

/// Keeps all that a scanner hands over.
package struct ScannedLines: LineSink {
  package var lines: [ScannedLine] = []
  package var positions: [LinePosition] = []

  package init() {}

  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    lines.append(.of(layout, canonical: canonical))
    positions.append(position)
  }

  package mutating func fault(
    _ fault: LineFault, line: Span<UInt8>, at position: LinePosition
  ) {
    lines.append(.fault(fault))
    positions.append(position)
  }
}

extension LineScanner {
  /// Reads one line without LF as it would be read in a file.
  ///
  /// - Parameter generally: whether it goes the general way, however it is spelled.
  package mutating func read(
    _ line: [UInt8], generally: Bool = false
  ) throws(Finding) -> ScannedLine {
    var sink = ScannedLines()
    scan(line + [0x0A], at: 0, number: 1, generally: generally, into: &sink)
    guard sink.lines.count == 1 else {
      throw Finding("One line was delivered \(sink.lines.count) times.")
    }
    return sink.lines[0]
  }
}

/// Reads one line without LF by the general path only, whatever its spelling.
package func readGenerally(_ line: [UInt8]) throws(Finding) -> ScannedLine {
  var scanner = LineScanner()
  return try scanner.read(line, generally: true)
}
