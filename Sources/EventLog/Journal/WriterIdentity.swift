/// The device ID of a writer, determined by its reading and `device.json`.
struct WriterIdentity {
  private let side: SideFolder
  /// The record of `decision`.
  private(set) var record: DeviceRecord?
  /// The status of the record's file when `decision` was made or the record was last written.
  ///
  /// Nil if a later reading, without the lock, may lead to another decision.
  private var recordStatus: FileStatus?
  /// The record of `foreseen`.
  private(set) var judged: DeviceRecord?
  /// Whether `judged` was made for this file on this machine.
  private var fits = false
  private(set) var decision = DeviceDecision.fresh(.noRecord)
  /// The decision for the next append, as far as a reading without the lock can determine it.
  private(set) var foreseen = DeviceDecision.fresh(.noRecord)
  /// The last known event of this journal's device, from the journal or the record.
  ///
  /// If the files are rolled back, this value is not.
  private var last: FullEventID?
  /// Retired IDs.
  private var givenUp: Set<DeviceID> = []

  init(_ side: SideFolder) { self.side = side }

  /// Whether the decision holds and leads to a device ID, because no other writer has changed the
  /// record.
  var isCurrent: Bool {
    guard device != nil, let recordStatus else { return false }
    return side.recordStatus == recordStatus
  }

  /// Requires the next commit to read and to decide again.
  mutating func doubt() { recordStatus = nil }

  /// The device ID for writing, or nil for a fresh one.
  var device: DeviceID? { decision.device }

  /// The device of this machine that a fresh one continues, or nil if there is none.
  ///
  /// A copy from another machine is another device, with its own name.
  var continued: DeviceID? {
    switch decision.reason {
    case nil, .otherMachine: nil
    // Without machine IDs, another file may be from another machine.
    case .otherFile where record?.machine == nil: nil
    case .noRecord where !fits && record?.machine == nil: nil
    default: record?.device
    }
  }

  /// The last judged record, if it was made for this file on this machine.
  var fitting: DeviceRecord? { fits ? judged : nil }

  /// Whether `record` was made for this file on this machine.
  var isOfThisFile: Bool { fits || decision.trustsRecord }

  /// The offset up to which the record lists all lines as synced.
  var syncedOffset: Int64 { isOfThisFile ? record?.syncedOffset ?? 0 : 0 }

  /// Durably lists the lines from `offset` on as unsynced, before they are written.
  mutating func forgetSynced(from offset: Int64) throws(EventLogError) {
    guard var record, offset < syncedOffset else { return }
    record.syncedOffset = offset
    try replace(record)
  }

  /// The last events of this copy's devices that the journal contained and no longer holds.
  func lost(from ledger: Ledger) -> [FullEventID] {
    fitting?.written.filter { !ledger.holds($0) }.sorted() ?? []
  }

  /// Resets the decision together with the reading.
  mutating func reset() {
    (record, recordStatus) = (nil, nil)
    decision = .fresh(.noRecord)
    foreseen = decision
  }

  /// Decides under the lock.
  ///
  /// - Throws: `inputOutput` if the ID has to be retired and the record can't be written.
  mutating func decide<Sink: EventSink>(
    _ newRecord: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
    _ pass: JournalPass<Sink>, _ end: JournalReading.End
  ) throws(EventLogError) {
    foresee(newRecord, machine: machine, file: file, pass, end)
    (record, recordStatus) = (newRecord, side.recordStatus)
    decision = foreseen
    if case .fresh(.lacksSyncedEvent) = decision, record?.isRetired == false,
      record?.event.map(pass.ledger.holds) ?? true
    {
      try retire(.rolledBack)
    }
  }

  /// Determines, without the lock, the decision for the next append.
  mutating func foresee<Sink: EventSink>(
    _ newRecord: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
    _ pass: JournalPass<Sink>, _ end: JournalReading.End
  ) {
    (judged, recordStatus) = (newRecord, nil)
    fits = newRecord.map { SideFolder.fits($0, file, machine) } ?? false
    foreseen = .decide(newRecord, machine: machine, file: file, pass, end)
    guard let device = foreseen.device else {
      if foreseen.reason == .lacksSyncedEvent { last = newRecord?.event ?? last }
      return
    }
    // If a file was rolled back together with its side folder, only a writer that has read it
    // before can detect it, even if the record then names an earlier device.
    if givenUp.contains(device) || last.map(pass.ledger.holds) == false {
      foreseen = .fresh(.lacksSyncedEvent)
      return
    }
    note(device, pass.ledger)
  }

  /// Records the last own event.
  private mutating func note(_ device: DeviceID, _ ledger: Ledger) {
    if let end = ledger.ends(of: device).first { last = ledger.fullID(end) }
  }

  /// Records what was written under an ID.
  mutating func wrote(_ device: DeviceID, _ ledger: Ledger) {
    decision = .same(device)
    foreseen = decision
    note(device, ledger)
  }

  /// Retires the device ID, before events that other copies wrote under it are received.
  mutating func retire(_ reason: DeviceRecord.Retirement) throws(EventLogError) {
    guard var record, !record.isRetired else { return }
    givenUp.insert(record.device)
    recordStatus = nil
    record.retirement = reason
    if reason == .rolledBack, let last, !record.written.contains(last) {
      // Only this process knows this event.
      record.past = (record.past + [last]).suffix(DeviceRecord.pastMax)
    }
    try side.replaceRecord(record)
    (self.record, judged) = (record, record)
    // Keep a decision for another reason.
    if case .same = decision {
      decision = .fresh(reason == .rolledBack ? .lacksSyncedEvent : .duplicateWriter)
      foreseen = decision
    }
  }

  /// Replaces the record durably.
  mutating func replace(_ record: DeviceRecord) throws(EventLogError) {
    try side.replaceRecord(record)
    (self.record, recordStatus) = (record, side.recordStatus)
  }

  /// The last event of the writing device.
  struct OwnEnd {
    let device: DeviceID
    let sequence: Int64
    let checksum: LineChecksum
  }

  /// The last own event in a ledger, or nil if there is none.
  func ownEnd(in ledger: Ledger) -> OwnEnd? {
    guard let device, record?.device == device, let end = ledger.ends(of: device).first else {
      return nil
    }
    let previous = ledger.before(end)
    return OwnEnd(
      device: device, sequence: end.sequence,
      checksum: LineChecksum(
        before: previous.map { ledger.fullID($0).chain } ?? 0, chain: ledger.fullID(end).chain))
  }

  /// Records the synced lines, and the last own event among them.
  ///
  /// If that fails, the old record still fits.
  mutating func noteSynced(upTo offset: Int64, _ end: OwnEnd?) {
    guard var record, isOfThisFile else { return }
    record.syncedOffset = offset
    if let end, record.device == end.device {
      (record.sequence, record.checksum) = (end.sequence, end.checksum)
    }
    recordStatus = side.updateRecord(record)
    if recordStatus == nil { try? replace(record) } else { self.record = record }
  }
}
