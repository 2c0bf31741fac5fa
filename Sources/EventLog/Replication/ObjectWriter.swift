/// Collects lines by device and puts them as ranges.
struct ObjectWriter: Sendable {
  /// No more than this waits, whatever the sizes of the ranges.
  private static let waitingBytesMax = 16 << 20

  private let storage: any ObjectStorage
  private let random: RandomText
  private var waiting: [DeviceID: Waiting] = [:]
  private var waitingBytes = 0
  /// What was put.
  private(set) var written: [ObjectCatalog.RangeObject] = []

  /// Lines of one device that are to make one range.
  fileprivate struct Waiting: Sendable {
    var range: EventRange
    var checksum: LineChecksum
    var bytes: [UInt8]
  }

  init(_ storage: any ObjectStorage, _ random: RandomText) {
    self.storage = storage
    self.random = random
  }

  /// Takes lines, and puts at least one range, so that a run that ends behind any batch leaves
  /// something that counts.
  ///
  /// - Returns: what was put.
  mutating func add(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    var sorter = LineSorter()
    var scanner = LineScanner()
    scanner.scanLines(lines.bytes, into: &sorter)
    var reception = Reception()
    for refusal in sorter.reception.refused { reception.refuse(refusal) }
    for line in sorter.lines {
      let device = line.id.device
      if let before = waiting[device], before.range.last + 1 != line.id.sequence {
        try await put(device, &reception)
      }
      let first = waiting[device]?.range.first ?? line.id.sequence
      waiting[
        device,
        default: Waiting(
          range: EventRange(device: device, first: first, last: first), checksum: line.checksum,
          bytes: [])
      ].take(line, lines.bytes)
      waitingBytes += line.place.count + 1
      if waiting[device]!.bytes.count >= ObjectLimits.rangeBytes {
        try await put(device, &reception)
      }
    }
    repeat {
      guard let largest else { break }
      try await put(largest, &reception)
    } while waitingBytes > Self.waitingBytesMax
    return reception
  }

  /// What would become of lines, if they were added and all was put.
  static func rehearse(_ lines: LineBatch) -> Reception {
    var sorter = LineSorter()
    var scanner = LineScanner()
    scanner.scanLines(lines.bytes, into: &sorter)
    return sorter.reception
  }

  /// Puts one of the ranges that wait.
  ///
  /// - Returns: what was put; nil where nothing waits.
  mutating func putNext() async throws(EventLogError) -> Reception? {
    guard let largest else { return nil }
    var reception = Reception()
    try await put(largest, &reception)
    return reception
  }

  /// The device of which most waits.
  private var largest: DeviceID? {
    waiting.max {
      ($0.value.bytes.count, $1.key) < ($1.value.bytes.count, $0.key)
    }?.key
  }

  private mutating func put(
    _ device: DeviceID, _ reception: inout Reception
  ) async throws(EventLogError) {
    guard let waiting = waiting[device] else { return }
    try await put(waiting.range, waiting.checksum, waiting.bytes)
    self.waiting[device] = nil
    waitingBytes -= waiting.bytes.count
    reception.received.insert(waiting.range)
  }

  /// Puts a range. Where something else has its name, it gets an addition.
  @discardableResult
  mutating func put(
    _ range: EventRange, _ checksum: LineChecksum, _ bytes: [UInt8]
  ) async throws(EventLogError) -> ObjectCatalog.RangeObject {
    var name = RangeName(range, checksum)
    while try await !storage.put(name.text, bytes) {
      // Put by another device already, or by a run that was cut off behind it.
      if let there = try await storage.read(name.text), RangeContent(name, there) != nil { break }
      name = RangeName(range, checksum, addition: "." + random.next(8))
    }
    let object = ObjectCatalog.RangeObject(name: name, byteCount: Int64(bytes.count))
    written.append(object)
    return object
  }
}

extension ObjectWriter.Waiting {
  fileprivate mutating func take(_ line: LineSorter.Line, _ bytes: [UInt8]) {
    range = EventRange(device: range.device, first: range.first, last: line.id.sequence)
    checksum = line.checksum
    self.bytes += bytes[line.place]
    self.bytes.append(0x0A)
  }
}

/// Tells whose the lines of a batch are.
private struct LineSorter: LineSink {
  struct Line {
    var id: EventID
    var checksum: LineChecksum
    var place: Range<Int>
  }

  var lines: [Line] = []
  var reception = Reception()

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let id = EventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence)
    let start = Int(position.offset)
    lines.append(
      Line(id: id, checksum: layout.checksum, place: start..<(start + position.byteCount)))
    reception.received.insert(id)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    reception.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }
}
