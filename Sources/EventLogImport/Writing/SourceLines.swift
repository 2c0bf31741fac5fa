import EventLog

extension Timestamp {
  func later(seconds: Int) -> Timestamp {
    Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000) ?? self
  }
}

/// The lines that a store of a source adds to its history.
///
/// Their content depends only on the store's statements and its earlier events, so the same import
/// has the same result everywhere. They are sorted by time, with those that have no time first.
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

  /// Writes lines, and checks each.
  private struct Output {
    var writer: EventLineWriter
    var check = EventLineCheck()
  }

  /// - Parameters:
  ///   - time: The time for values without one.
  ///   - last: The last event of the device in the journal, or the greatest of several.
  ///   - seen: The last events of earlier imports of the source, which the lines replace.
  init(
    _ drafts: [EventDraft], of device: DeviceID, named name: String, user: String,
    from origin: ImportSource, at time: Timestamp, after last: FullEventID?, seen: [FullEventID],
    random: RandomText
  ) throws(EventLogError) {
    self.device = device
    self.time = time
    tip = last
    first = (last?.sequence ?? 0) + 1
    if let last { chains[last.sequence] = last.chain }
    guard !drafts.isEmpty else { return }
    var drafts = drafts
    if last == nil {
      let members: [JSONObject.Member] = [
        .init(name: "user", value: .string(user)), .init(name: "name", value: .string(name)),
      ]
      drafts.insert(
        EventDraft(type: "device.joined", data: JSONObject(members + origin.members)), at: 0)
    }
    var output = Output(writer: EventLineWriter(after: last?.chain ?? 0))
    for (index, draft) in drafts.enumerated() {
      try add(
        draft, seen: index == 0 ? seen : [], salt: random.next(LineLimits.saltCount), &output)
    }
  }

  private mutating func add(
    _ draft: EventDraft, seen: [FullEventID], salt: String, _ output: inout Output
  ) throws(EventLogError) {
    let sequence = (tip?.sequence ?? 0) + 1
    let start = output.writer.bytes.count
    let length = output.writer.write(
      id: EventID(device: device, sequence: sequence), at: draft.at ?? time,
      type: draft.type, entity: draft.entity, seen: seen, ref: draft.ref, data: draft.data,
      salt: salt)
    let subject = draft.entity?.description ?? draft.ref ?? draft.type
    guard length <= LineLimits.lineBytesMax else {
      throw .cannotImport("What is said of \(subject) is longer than an event may be.")
    }
    let line = Array(output.writer.bytes[start..<start + length])
    if let fault = output.check.fault(in: line) {
      throw .cannotImport("\(subject) cannot be imported: its event \(fault.clause).")
    }
    lines.append(line)
    let chain = output.writer.checksum.chain
    chains[sequence] = chain
    tip = FullEventID(device: device, sequence: sequence, chain: chain)
    // The lines are kept by themselves, so that a sync can take them one by one.
    if output.writer.bytes.count > 1 << 20 { output.writer = EventLineWriter(after: chain) }
  }
}
