@testable import EventLog

/// The histories of handmade lines.
struct HandmadeHistories: HistoryLookup {
  /// The chain before each event.
  private var chainsBefore: [FullEventID: UInt32] = [:]

  init(_ lines: [[UInt8]] = []) {
    var scanner = LineScanner()
    scanner.scanLines(Array(lines.joined(separator: [0x0A])), into: &self)
  }

  /// The last event of each history.
  var tips: [FullEventID] {
    let before = chainsBefore.map { event, chain in
      FullEventID(device: event.device, sequence: event.sequence - 1, chain: chain)
    }
    return Set(chainsBefore.keys).subtracting(before).sorted()
  }

  func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    queries.map { query in
      var event = query.tip
      while let before = chainsBefore[event] {
        if event.sequence == query.sequence { return event.chain }
        event = FullEventID(device: event.device, sequence: event.sequence - 1, chain: before)
      }
      return nil
    }
  }
}

extension HandmadeHistories: LineSink {
  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
    chainsBefore[event] = layout.checksum.before
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
