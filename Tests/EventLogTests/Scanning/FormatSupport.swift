// What the tests of the format share: seeds, sealed lines, and both ways of reading one.

import Foundation
import Testing

@testable import EventLog

/// The seed and the size of the random tests, from the environment.
enum FormatRandom {
  /// `EVENTLOG_SEED`, else a new one in every run.
  static let seed =
    ProcessInfo.processInfo.environment["EVENTLOG_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0..<1_000_000)

  /// `count` times `EVENTLOG_ROUNDS`.
  static func rounds(_ count: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["EVENTLOG_ROUNDS"].flatMap { Int($0) }
    return count * max(1, factor ?? 1)
  }

  /// The generator of one test. It prints the seed, with which the test can be run again.
  static func generator(_ name: String) -> SplitMix64 {
    print("EVENTLOG_SEED=\(seed) (\(name))")
    return SplitMix64(seed: seed)
  }
}

/// The files that stand beside the tests.
enum FormatFiles {
  private static let folder = Path.folder(of: Path.folder(of: #filePath))

  static func path(_ folder: String, _ name: String) -> String {
    Path.join(Path.join(Self.folder, folder), name)
  }

  /// The names in `folder` that end in `suffix`, without it, sorted.
  static func names(in folder: String, suffix: String) throws -> [String] {
    try SystemFileSystem().contents(of: Path.join(Self.folder, folder))
      .filter { $0.hasSuffix(suffix) }
      .map { String($0.dropLast(suffix.count)) }
      .sorted()
  }

  static func bytes(_ folder: String, _ name: String) throws -> [UInt8] {
    let path = path(folder, name)
    return try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 24)
  }

  /// All lines of all golden journals, without LF.
  static func goldenLines() throws -> [[UInt8]] {
    try names(in: "Golden", suffix: ".jsonl").flatMap { name in
      try bytes("Golden", name + ".jsonl").split(separator: 0x0A).map(Array.init)
    }
  }
}

/// `covered`, which lacks its last brace, with the checksum tail of a history's next line.
func sealed(_ covered: [UInt8], after chain: UInt32 = 0) -> [UInt8] {
  let checksum = LineChecksum.of(covered: covered, after: chain)
  return covered + Array(#","crc":""#.utf8) + checksum.digits + Array("\"}".utf8)
}

func sealed(_ covered: String, after chain: UInt32 = 0) -> [UInt8] {
  sealed(Array(covered.utf8), after: chain)
}

/// What a line says, without its checksum: equal for all spellings of one event.
struct EventContent: Hashable {
  var id: EventID
  var at: Timestamp?
  var type: String
  var entity: EntityID?
  var seen: [FullEventID]
  var ref: [UInt8]?
  var hasMore: Bool
  var version: Int64
  var data: JSONObject

  init(_ event: Event) {
    id = event.id
    at = event.at
    type = event.type
    entity = event.entity
    seen = event.seen
    ref = event.ref.map { Array($0.utf8) }
    hasMore = event.hasMore
    version = event.version
    data = event.data
  }
}

/// One line as a scanner handed it over.
enum ScannedLine: Hashable {
  /// With the canonical text of its data, which equality of events passes over.
  case event(Event, data: String)
  case fault(LineFault)

  var event: Event? {
    if case .event(let event, _) = self { event } else { nil }
  }

  var fault: LineFault? {
    if case .fault(let fault) = self { fault } else { nil }
  }

  static func of(_ layout: LineLayout, canonical: Span<UInt8>) -> ScannedLine {
    let event = Event(layout, canonical: canonical)
    return .event(event, data: JSONValue.object(event.data).text)
  }
}

/// Keeps all that a scanner hands over.
struct ScannedLines: LineSink {
  var lines: [ScannedLine] = []
  var positions: [LinePosition] = []

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    lines.append(.of(layout, canonical: canonical))
    positions.append(position)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    lines.append(.fault(fault))
    positions.append(position)
  }
}

extension LineScanner {
  /// Reads one line without LF as it would be read in a file.
  mutating func read(_ line: [UInt8]) throws -> ScannedLine {
    var sink = ScannedLines()
    scan(line + [0x0A], at: 0, number: 1, into: &sink)
    return try #require(sink.lines.first)
  }
}

/// Reads one line without LF by the general path only, whatever its spelling.
func readGenerally(_ line: [UInt8]) -> ScannedLine {
  var normalizer = LineNormalizer()
  var layout = LineLayout()
  var dates = DateMemo()
  let tail = line.suffix(26)
  let checksum =
    line.count > 26 && tail.starts(with: #","crc":""#.utf8)
      && tail.suffix(2) == Array("\"}".utf8)[...]
    ? LineChecksum(text: tail.dropFirst(8).dropLast(2)) : nil
  let fits = checksum.map {
    LineChecksum.of(covered: Array(line.dropLast(26)), after: $0.before) == $0
  }
  let end: LineNormalizer.Tail = fits.map { $0 ? .fitting : .mismatched } ?? .missing
  do throws(LineFault) {
    let failure = line.withUnsafeBufferPointer { buffer -> LineFault? in
      do throws(LineFault) {
        try normalizer.normalize(
          buffer, tail: end, into: &layout, dates: &dates)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  } catch { return .fault(error) }
  guard let checksum else { return .fault(LineFault(.missingChecksum, at: line.count)) }
  guard checksum.before == 0 || layout.sequence > 1 else {
    return .fault(LineFault(.invalidChain, at: line.count - 18, member: "crc"))
  }
  layout.checksum = checksum
  return .of(layout, canonical: normalizer.canonical.span)
}
