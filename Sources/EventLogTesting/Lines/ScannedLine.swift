package import EventLog

/// The result of scanning one line.
package enum ScannedLine: Hashable {
  /// An event, with the canonical text of its data, which event equality ignores.
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

/// A sink that keeps all lines.
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
  /// Reads one line without LF like a line of a file.
  ///
  /// - Parameter generally: Whether to use the general path for any spelling.
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

/// Reads one line without LF by the general path, whatever its spelling.
package func readGenerally(_ line: [UInt8]) throws(Finding) -> ScannedLine {
  var scanner = LineScanner()
  return try scanner.read(line, generally: true)
}
