import EventLogTesting
import Testing

@testable import EventLog

/// The data that is kept for lines that need an event not yet read.
@Suite struct DeferredLinesTests {
  /// A sink that defers every line.
  private struct Collector: LineSink {
    var waiting = DeferredLines()
    var ledger = Ledger()

    mutating func event(
      _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
    ) {
      waiting.add(layout, canonical, at: position, in: &ledger)
    }

    mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
      Issue.record("\(fault)")
    }
  }

  /// Four lines of two devices.
  ///
  /// The last two name events that they have seen.
  private let lines: [[UInt8]]
  private let ids: [FullEventID]
  private let collector: Collector

  init() {
    var (one, other) = (HandmadeDevice("one"), HandmadeDevice("other"))
    var (lines, ids) = ([one.join(user: "ada")], [one.tip])
    lines.append(other.join(user: "ada"))
    ids.append(other.tip)
    lines.append(one.event(seeing: [other.tip], more: true))
    ids.append(one.tip)
    lines.append(other.event(seeing: [ids[0], ids[2], FullEventID("none:7~0000000f")!]))
    ids.append(other.tip)
    (self.lines, self.ids) = (lines, ids)
    var collector = Collector()
    var scanner = LineScanner()
    scanner.scanLines(lines.flatMap { $0 + [0x0A] }, into: &collector)
    self.collector = collector
  }

  private func id(_ key: DeferredLines.Key) -> FullEventID {
    FullEventID(
      device: DeviceID(collector.ledger.names.text(Int(key.device)))!, sequence: key.sequence,
      chain: key.chain)
  }

  @Test func `a deferred line is kept with its key, its needs and its position`() {
    let waiting = collector.waiting
    #expect(waiting.lines.map { id($0.key) } == ids)
    #expect(waiting.lines.map { $0.previous.map(id) } == [nil, nil, ids[0], ids[1]])
    #expect(waiting.lines.map(\.hasMore) == [false, false, true, false])
    #expect(
      waiting.lines.map { waiting.seen[$0.seen].map(id) } == [
        [], [], [ids[1]], [FullEventID("none:7~0000000f")!, ids[0], ids[2]],
      ])
    var offset: Int64 = 0
    for (line, bytes) in zip(waiting.lines, lines) {
      #expect(line.position.offset == offset && line.position.byteCount == bytes.count)
      offset += Int64(bytes.count) + 1
    }
    #expect(!waiting.isEmpty && DeferredLines().isEmpty)
  }

  @Test func `keeping some deferred lines also keeps the lines that they have seen`() {
    var waiting = collector.waiting
    waiting.keep([waiting.lines[3], waiting.lines[1]])
    #expect(waiting.lines.map { id($0.key) } == [ids[3], ids[1]])
    #expect(
      waiting.seen[waiting.lines[0].seen].map(id) == [
        FullEventID("none:7~0000000f")!, ids[0], ids[2],
      ])
    #expect(waiting.seen[waiting.lines[1].seen].isEmpty && waiting.seen.count == 3)
    waiting.keep([])
    #expect(waiting.isEmpty && waiting.seen.isEmpty)
  }
}
