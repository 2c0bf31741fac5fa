import EventLog
import Synchronization

extension Timestamp {
  func later(seconds: Int) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000) ?? self
  }
}

/// The lines that a store of a source adds to its history.
struct SourceLines: Sendable {
  /// The time for values without one, older than any edit, so that users' edits are shown.
  static let timeOfOld = Timestamp(milliseconds: 978_307_200_000)!

  let device: DeviceID
  /// The last event of the device in the journal, or the greatest of several.
  let last: FullEventID?
  /// The last event, including new ones, or nil if the store has no events.
  fileprivate(set) var tip: FullEventID?
  fileprivate let rest = SourceBatches()
  /// The chains of the new events.
  fileprivate var chains: [UInt32] = []

  fileprivate init(of device: DeviceID, after last: FullEventID?) {
    (self.device, self.last) = (device, last)
    tip = last
  }

  /// The number of lines.
  var count: Int { chains.count }

  /// The sequence of the first line.
  private var first: Int64 { (last?.sequence ?? 0) + 1 }

  /// Returns the chain of the last earlier event or a new one, or nil for any other sequence.
  func chain(of sequence: Int64) -> UInt32? {
    if sequence == last?.sequence { return last?.chain }
    let index = Int(clamping: sequence - first)
    return chains.indices.contains(index) ? chains[index] : nil
  }

  /// Returns the next lines, from a sequence on, or nil after the last one.
  ///
  /// A sync takes them once, and each batch is released with its lines.
  func next(from sequence: Int64) -> LineBatch? { rest.next(from: sequence) }
}

/// The lines of a store that a sync hasn't taken, in batches.
private final class SourceBatches: Sendable {
  private let batches = Mutex<[(first: Int64, lines: LineBatch)]>([])

  func add(_ lines: LineBatch, from first: Int64) {
    batches.withLock { $0.append((first, lines)) }
  }

  func next(from sequence: Int64) -> LineBatch? {
    while let (first, batch) = batches.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      let skipped = Int(clamping: max(0, sequence - first))
      if skipped == 0 { return batch }
      if skipped >= batch.count { continue }
      let lines = batch.bytes.split(separator: 0x0A).dropFirst(skipped)
      return LineBatch(trusted: lines.flatMap { $0 + [0x0A] }, count: batch.count - skipped)
    }
    return nil
  }
}

/// Writes the lines of a store.
///
/// Their content depends only on the store's statements and its earlier events, so the same import
/// has the same result everywhere.
struct SourceLineWriter {
  private var lines: SourceLines
  private let joining: EventDraft
  /// The time for this store's values without one.
  private let time: Timestamp
  /// The last events of earlier imports of the source, which the lines replace.
  private let seen: [FullEventID]
  private var random: RandomText
  private var writer: EventLineWriter
  /// The number of lines that the writer has.
  private var writtenCount = 0
  private var finishedCount = 0
  @Boxed private var check = EventLineCheck()

  /// - Parameters:
  ///   - time: The time for values without one.
  ///   - last: The last event of the device in the journal, or the greatest of several.
  ///   - seen: The last events of earlier imports of the source, which the lines replace.
  init(
    of device: DeviceID, named name: String, user: String, from origin: ImportSource,
    at time: Timestamp, after last: FullEventID?, seen: [FullEventID], random: RandomText
  ) {
    lines = SourceLines(of: device, after: last)
    (self.time, self.seen, self.random) = (time, seen, random)
    writer = EventLineWriter(after: last?.chain ?? 0)
    let members: [JSONObject.Member] = [
      .init(name: "user", value: .string(user)), .init(name: "name", value: .string(name)),
    ]
    joining = EventDraft(type: "device.joined", data: JSONObject(members + origin.members))
  }

  /// Adds the line of an event, after one that states the device if it has none.
  ///
  /// - Throws: `invalidInput` if it is too long, or isn't an event.
  mutating func add(_ draft: EventDraft) throws(EventLogError) {
    if lines.tip == nil { try write(joining) }
    try write(draft)
  }

  /// Returns the lines, after all events were added.
  mutating func finish() -> SourceLines {
    if writtenCount > 0 { finishBatch() }
    return lines
  }

  private mutating func write(_ draft: EventDraft) throws(EventLogError) {
    let sequence = (lines.tip?.sequence ?? 0) + 1
    let start = writer.bytes.count
    let length = writer.write(
      id: EventID(device: lines.device, sequence: sequence), at: draft.at ?? time,
      type: draft.type, entity: draft.entity, seen: lines.count == 0 ? seen : [], ref: draft.ref,
      data: draft.data, salt: random.salt(LineLimits.saltCount))
    let subject = draft.entity?.description ?? draft.ref ?? draft.type
    guard length <= LineLimits.lineBytesMax else {
      throw .cannotImport("What is said of \(subject) is longer than an event may be.")
    }
    if let fault = check.fault(in: Array(writer.bytes[start...])) {
      throw .cannotImport("\(subject) cannot be imported: its event \(fault.clause).")
    }
    let chain = writer.checksum.chain
    lines.chains.append(chain)
    lines.tip = FullEventID(device: lines.device, sequence: sequence, chain: chain)
    writtenCount += 1
    if writer.bytes.count > LineBatch.bytesMax / 2 || writtenCount == LineBatch.linesMax {
      finishBatch()
    }
  }

  private mutating func finishBatch() {
    // Statements were released one by one.
    finishedCount += 1
    if finishedCount.isMultiple(of: FreedMemory.batchesPerRelease) { FreedMemory.release() }
    let first = (lines.tip?.sequence ?? 0) - Int64(writtenCount) + 1
    lines.rest.add(LineBatch(trusted: writer.bytes, count: writtenCount), from: first)
    writer = EventLineWriter(after: writer.checksum.chain)
    writtenCount = 0
  }
}
