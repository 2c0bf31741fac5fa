import EventLog
import EventLogCollections

/// Times the stages of a reading one by one, as the minimum of three runs in one process.
struct ReadStages {
  let path: String
  /// The only stage to run once, or nil to run all of them.
  var only: String?

  func run() throws {
    // The first reading loads the file into the page cache.
    if only == nil { _ = try lines() }
    try time("lines") { try lines() }
    try time("ledger") { try pass(CountingSink()) }
    try time("fold") { try pass(Fold(.standard)) }
    try time("snapshot") {
      let read = try Journal(path: path, catalog: .standard).snapshot()
      return "\(read.snapshot.eventCount) events, \(read.snapshot.conflicts.count) conflicts"
    }
    guard only == nil || only == "json" else { return }
    let snapshot = try Journal(path: path, catalog: .standard).snapshot().snapshot
    try time("json") { "\(snapshot.json().count) bytes" }
  }

  private func time(_ name: String, _ body: () throws -> String) throws {
    if let only, only != name { return }
    var best = Duration.seconds(1000)
    var result = ""
    for _ in 0..<(only == nil ? 3 : 1) {
      let clock = ContinuousClock()
      best = min(best, try clock.measure { result = try body() })
    }
    print("\(name): \(best) (\(result))")
  }

  private func lines() throws -> String {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    var reader = LineReader()
    var scanner = LineScanner()
    var counter = LineCounter()
    try reader.readLines(of: file, in: disk, scanner: &scanner, into: &counter)
    return
      "\(counter.lines) lines, \(counter.members) members, \(scanner.slowLineCount) not canonical"
  }

  private func pass<Sink: EventSink>(_ sink: Sink) throws -> String {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    var pass = JournalPass(sink: sink)
    _ = try JournalReading(path: path, fileSystem: disk, file: file).read(into: &pass, record: nil)
    return "\(pass.lineCount) lines, \(pass.report.problemCount) problems"
  }
}

private struct LineCounter: LineSink {
  var lines = 0
  var members = 0

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    lines += 1
    members += layout.members.count
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}

private struct CountingSink: EventSink {
  var count = 0

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    count += 1
  }
}
