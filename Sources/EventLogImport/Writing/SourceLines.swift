import EventLog

extension Timestamp {
  /// The time so many seconds later.
  func later(seconds: Int) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000) ?? self
  }
}

/// The lines that a store of a source adds to its history.
///
/// They are a function of what the store says and of what it has said before, in this order: by
/// time, and what has none first. Whoever imports the same has the same lines.
struct SourceLines: Sendable {
  /// The time of what has none in the source: older than any edit, so that a person's shows.
  static let timeOfOld = Timestamp(milliseconds: 978_307_200_000)!

  let device: DeviceID
  /// The time of what has none in this store.
  private let time: Timestamp
  /// The events of the history that were there, and are new, by sequence: their chains.
  private(set) var chains: [Int64: UInt32] = [:]
  /// The last event, new ones included; nil where the store says nothing and never did.
  private(set) var tip: FullEventID?
  /// The first new one.
  let first: Int64
  /// The new lines, each without its LF.
  private(set) var lines: [[UInt8]] = []

  /// - Parameters:
  ///   - time: the time of what has none.
  ///   - tips: the last events of the device in the journal.
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
    // Two copies have imported different states of the source: the next lines replace both.
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
