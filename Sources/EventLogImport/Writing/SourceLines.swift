import EventLog

extension Timestamp {
  func later(seconds: Int) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000) ?? self
  }
}

/// The lines that a store of a source adds to its history.
///
/// They depend only on the store's statements and its earlier events, so the same import creates
/// the same lines everywhere. They are sorted by time, with those that have no time first.
struct SourceLines: Sendable {
  /// The time for values without one, older than any edit, so that users' edits are shown.
  static let timeOfOld = Timestamp(milliseconds: 978_307_200_000)!

  let device: DeviceID
  /// The time for this store's values without one.
  private let time: Timestamp
  /// The chains of the last earlier event and of the new events, by sequence.
  private(set) var chains: [Int64: UInt32] = [:]
  /// The last event, including new ones, or nil if the store has no events.
  private(set) var tip: FullEventID?
  /// The sequence of the first new event.
  let first: Int64
  /// The new lines, each without its LF.
  private(set) var lines: [[UInt8]] = []

  /// - Parameters:
  ///   - time: The time for values without one.
  ///   - tips: The last events of the device in the journal.
  init(
    _ drafts: [EventDraft], of device: DeviceID, named name: String, user: String,
    at time: Timestamp, after tips: [FullEventID]
  ) throws(EventLogError) {
    self.device = device
    self.time = time
    let tips = tips.sorted()
    tip = tips.last
    first = (tips.last?.sequence ?? 0) + 1
    if let tip { chains[tip.sequence] = tip.chain }
    var writer = EventLineWriter(after: tip?.chain ?? 0)
    guard !drafts.isEmpty else { return }
    if tip == nil {
      try add(
        EventDraft(
          type: "device.joined",
          data: ["user": .string(user), "name": .string(name)]), seen: [], &writer)
    }
    // With several tips, two copies have imported different states: the next line replaces both.
    var seen = tips.dropLast().map { $0 }
    for draft in drafts {
      try add(draft, seen: seen, &writer)
      seen = []
    }
  }

  private mutating func add(
    _ draft: EventDraft, seen: [FullEventID], _ writer: inout EventLineWriter
  ) throws(EventLogError) {
    let sequence = (tip?.sequence ?? 0) + 1
    let start = writer.bytes.count
    let length = writer.write(
      id: EventID(device: device, sequence: sequence), at: draft.at ?? time,
      type: draft.type, entity: draft.entity, seen: seen, ref: draft.ref, data: draft.data)
    guard length <= LineLimits.lineBytesMax else {
      throw .cannotImport(
        "What is said of \(draft.entity?.description ?? draft.ref ?? draft.type) is longer than an"
          + " event may be.")
    }
    lines.append(Array(writer.bytes[start..<start + length]))
    let chain = writer.checksum.chain
    chains[sequence] = chain
    tip = FullEventID(device: device, sequence: sequence, chain: chain)
  }
}
