/// Under which device ID a writer writes, by what it has read and by `device.json`.
struct WriterIdentity {
  private let side: SideFolder
  /// The record that `decision` is about.
  private(set) var record: DeviceRecord?
  /// How often this writer has written the record.
  private(set) var recordVersion = 0
  /// The record that `foreseen` is about.
  private(set) var judged: DeviceRecord?
  /// Whether `judged` was made for this very file on this machine.
  private var fits = false
  /// Whether `record` is on the disk as it is here.
  private(set) var isDurable = false
  private(set) var decision = DeviceDecision.fresh(.noRecord)
  /// What the next append would decide, as far as a reading without the lock can tell.
  private(set) var foreseen = DeviceDecision.fresh(.noRecord)
  /// The last event that this journal's device was ever seen to have written, by the journal or by
  /// the record: the files may go back to an earlier state, what was read from them does not.
  private var last: FullEventID?
  /// IDs that were given up.
  private var givenUp: Set<DeviceID> = []

  init(_ side: SideFolder) { self.side = side }

  /// Under which ID it writes; nil: under a fresh one.
  var device: DeviceID? { decision.device }

  /// The device of this machine that a fresh one continues; nil where there is none to be known.
  ///
  /// A copy that came from another machine is another device, and goes by the name of its own one.
  var continued: DeviceID? {
    switch decision.reason {
    case nil, .otherMachine: nil
    // Without machines to tell apart, another file may be one of another machine.
    case .otherFile where record?.machine == nil: nil
    default: record?.device
    }
  }

  /// The sequence of the last event of our own in a ledger; 0 if there is none.
  func lastSequence(in ledger: Ledger) -> Int64 {
    device.map { ledger.ends(of: $0).map(\.sequence).max() ?? 0 } ?? 0
  }

  /// The record that was judged last, if it was made for this very file on this machine.
  var fitting: DeviceRecord? { fits ? judged : nil }

  /// The last events of this copy's devices that the journal contained and no longer holds.
  func lost(from ledger: Ledger) -> [FullEventID] {
    fitting?.written.filter { !ledger.holds($0) }.sorted() ?? []
  }

  /// Forgets what was decided, with what was read.
  mutating func reset() {
    record = nil
    decision = .fresh(.noRecord)
    foreseen = decision
  }

  /// Decides, under the lock.
  ///
  /// - Throws: `inputOutput` where it finds that the ID has to be given up, and cannot note that.
  mutating func decide<Sink: EventSink>(
    _ newRecord: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
    _ pass: JournalPass<Sink>, _ end: JournalReading.End
  ) throws(EventLogError) {
    foresee(newRecord, machine: machine, file: file, pass, end)
    record = newRecord
    decision = foreseen
    if case .fresh(.lacksSyncedEvent) = decision, record?.isRetired == false,
      record?.event.map(pass.ledger.holds) ?? true
    {
      try retire(.rolledBack)
    }
  }

  /// Foresees, without the lock, what the next append will decide.
  mutating func foresee<Sink: EventSink>(
    _ newRecord: DeviceRecord?, machine: String?, file: DeviceRecord.FileIdentity,
    _ pass: JournalPass<Sink>, _ end: JournalReading.End
  ) {
    judged = newRecord
    fits = newRecord.map { SideFolder.fits($0, file, machine) } ?? false
    foreseen = .decide(newRecord, machine: machine, file: file, pass, end)
    guard let device = foreseen.device else {
      if foreseen.reason == .lacksSyncedEvent { last = newRecord?.event ?? last }
      return
    }
    // A file that was rolled back together with its side folder looks to whoever comes later as if
    // nothing had happened, also where it then names the device before the last one.
    if givenUp.contains(device) || last.map(pass.ledger.holds) == false {
      foreseen = .fresh(.lacksSyncedEvent)
      return
    }
    note(device, pass.ledger)
  }

  /// Takes note of the last event of our own.
  private mutating func note(_ device: DeviceID, _ ledger: Ledger) {
    if let end = ledger.ends(of: device).first { last = ledger.fullID(end) }
  }

  /// Takes note of what was written under an ID.
  mutating func wrote(_ device: DeviceID, _ ledger: Ledger) {
    decision = .same(device)
    foreseen = decision
    note(device, ledger)
  }

  /// Gives the device ID up, before anything is taken that others have written under it.
  mutating func retire(_ reason: DeviceRecord.Retirement) throws(EventLogError) {
    guard var record, !record.isRetired else { return }
    givenUp.insert(record.device)
    record.retirement = reason
    if reason == .rolledBack, let last, !record.written.contains(last) {
      // Only this process knows it.
      record.past = (record.past + [last]).suffix(DeviceRecord.pastMax)
    }
    recordVersion += 1
    try side.replaceRecord(record)
    (self.record, judged) = (record, record)
    // What does not fit for another reason stays so.
    if case .same = decision {
      decision = .fresh(reason == .rolledBack ? .lacksSyncedEvent : .duplicateWriter)
      foreseen = decision
    }
  }

  /// Puts a record in the place of the one before, durably.
  mutating func replace(_ record: DeviceRecord) throws(EventLogError) {
    recordVersion += 1
    try side.replaceRecord(record)
    isDurable = true
    self.record = record
  }

  /// Makes the record durable as it is.
  mutating func makeDurable(_ record: DeviceRecord) throws(EventLogError) {
    guard side.syncRecord(record) else { return try replace(record) }
    recordVersion += 1
    isDurable = true
  }

  /// Notes in the record what is now synced. Where that fails, the older one still fits.
  mutating func noteSynced(_ ledger: Ledger) {
    guard var record, let device, record.device == device,
      let end = ledger.ends(of: device).first
    else { return }
    let previous = ledger.before(end)
    record.sequence = end.sequence
    record.checksum = LineChecksum(
      before: previous.map { ledger.fullID($0).chain } ?? 0, chain: ledger.fullID(end).chain)
    recordVersion += 1
    if side.updateRecord(record) {
      self.record = record
      isDurable = false
    }
  }
}
