import EventLog

/// Who has used which numbers, and who could know that others have.
///
/// A device whose disk was copied as a whole, or put back as a whole while nothing ran, has nothing
/// by which to tell: until it meets somebody it may give a number that was given before. Anybody
/// else must not, and it must not either once it was shown.
struct UsedNumbers {
  /// One device under one of its IDs.
  private struct Writer: Hashable {
    let name: String
    let id: DeviceID
  }

  /// Whether any device was given a past that another one has, or that it has had.
  private(set) var hasPasts = false
  /// Every line that was acknowledged, by its number.
  private var lines: [EventID: Set<[UInt8]>] = [:]
  /// Whether lines were damaged, or somebody was told what is not so: then devices may give an ID
  /// up that they need not.
  private(set) var hasDamage = false
  /// Devices of which events were written again under other IDs.
  private var reissued: Set<DeviceID> = []
  private var unknowing: Set<Writer> = []
  private var told: Set<Writer> = []

  /// Takes note of a copy.
  mutating func note(
    _ copying: DeviceCopying, of device: TemporaryStore, as copy: TemporaryStore
  ) {
    hasPasts = true
    guard copying == .wholeMachine, let id = device.deviceID else { return }
    for name in [device.name, copy.name] { unknowing.insert(Writer(name: name, id: id)) }
    if told.contains(Writer(name: device.name, id: id)) {
      told.insert(Writer(name: copy.name, id: id))
    }
  }

  /// Takes note that an earlier state of a device was put back.
  ///
  /// - Parameter isUnseen: whether nothing tells that it was.
  mutating func noteReturn(of device: TemporaryStore, isUnseen: Bool) {
    hasPasts = true
    guard isUnseen, let id = device.deviceID else { return }
    let writer = Writer(name: device.name, id: id)
    unknowing.insert(writer)
    // What it was told, it was told in a time that has not been.
    told.remove(writer)
  }

  /// Takes note that lines were damaged, or that somebody has told what is not so.
  mutating func noteDamage() {
    hasPasts = true
    hasDamage = true
  }

  /// Takes note of what was written again.
  mutating func note(_ report: RepairReport) {
    for move in report.reissued { reissued.insert(move.from.device) }
  }

  /// Whether anything was written again under other IDs.
  var hasReissues: Bool { !reissued.isEmpty }

  /// Takes note of an event whose append has returned.
  ///
  /// - Returns: what is wrong with its number.
  mutating func note(
    _ event: EventID, _ line: [UInt8], by device: TemporaryStore
  ) -> String? {
    let writer = Writer(name: device.name, id: event.device)
    let wasUsed = !lines[event, default: []].subtracting([line]).isEmpty
    lines[event, default: []].insert(line)
    if told.contains(writer) {
      return "\(device.name) wrote \(event) after it was shown that others write under that ID"
    }
    return wasUsed && !unknowing.contains(writer)
      ? "\(device.name) gave an event the number \(event), which was used before" : nil
  }

  /// Takes note of what a device was shown of its own numbers when it met somebody.
  ///
  /// - Parameters:
  ///   - id: under which ID it wrote; nil: the next append takes a fresh one anyway.
  ///   - own: what it held before they met.
  ///   - other: what the other one held.
  /// - Returns: whether there was an event of its own that it did not hold.
  @discardableResult
  mutating func noteMeeting(
    of device: TemporaryStore, as id: DeviceID?, holding own: [EventID: [UInt8]],
    with other: HeldLines
  ) -> Bool {
    guard let id else { return false }
    let isShown = other.lines.contains { event, lines in
      event.device == id && !lines.subtracting(own[event].map { [$0] } ?? []).isEmpty
    }
    if isShown { told.insert(Writer(name: device.name, id: id)) }
    return isShown
  }

  /// Whether a device goes on under an ID though it was shown that others do.
  func isDisobeyed(by device: TemporaryStore) -> Bool {
    device.deviceID.map { told.contains(Writer(name: device.name, id: $0)) } ?? false
  }

  /// Whether two events were given one number of the device, or one was given up.
  func isForked(_ device: DeviceID) -> Bool {
    reissued.contains(device)
      || lines.contains { $0.key.device == device && $0.value.count > 1 }
  }
}

/// What one or several hold: under each number the lines that stand there.
struct HeldLines {
  private(set) var lines: [EventID: Set<[UInt8]>] = [:]

  init() {}

  init(_ lines: [EventID: [UInt8]]) { add(lines) }

  mutating func add(_ other: [EventID: [UInt8]]) {
    for (event, line) in other { lines[event, default: []].insert(line) }
  }

  /// Adds what stands in a file of lines, whole or not.
  mutating func add(bytes: [UInt8]) {
    var reader = LineCollector()
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &reader)
    add(reader.lines)
  }

  /// Per device the first number under which more than one line stands.
  var forks: [DeviceID: Int64] {
    lines.reduce(into: [:]) { forks, entry in
      guard entry.value.count > 1 else { return }
      let (device, sequence) = (entry.key.device, entry.key.sequence)
      forks[device] = min(sequence, forks[device] ?? .max)
    }
  }
}

private struct LineCollector: LineSink {
  var lines: [EventID: [UInt8]] = [:]

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = EventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence)
    var bytes: [UInt8] = []
    line.append(to: &bytes)
    lines[event] = bytes
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {}
}
