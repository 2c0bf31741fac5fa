/// The events of one commit, encoded and applied one by one, so that later events are checked
/// against a state with the earlier ones.
package struct JournalBatch<Sink: EventSink> {
  /// The reading, including the events that the batch has added.
  @Boxed package internal(set) var pass: JournalPass<Sink>
  /// The writing device, or nil until a fresh one has joined.
  package private(set) var device: DeviceID? { didSet { deviceNumber = nil } }
  /// The ledger's number for the writing device, or nil if it is not known yet.
  private var deviceNumber: Int?
  /// The device that `device.json` names, whether it is in use or retired.
  var recordedDevice: DeviceID?
  /// The device that a fresh one would continue.
  ///
  /// See ``WriterIdentity/continued``.
  var continuedDevice: DeviceID?
  /// The events that a fresh device names as missing.
  ///
  /// See ``WriterIdentity/lost(from:)``.
  var lost: [FullEventID] = []
  /// Whether events of the own device were received, so that this copy must continue under another
  /// ID.
  var hasDuplicateWriter = false
  /// The path of the journal.
  let path: String
  /// Rereads lines of the journal.
  var fetcher: LineFetcher?
  package internal(set) var bytes: [UInt8] = []
  package internal(set) var events: [EventID] = []
  /// The offset in ``bytes`` of the first event that belongs to the same batch as the last one.
  package private(set) var batchStart = 0
  private var isInBatch = false
  /// The time of events of the current batch whose drafts have none.
  ///
  /// They get the same one, so that a cut by time doesn't split them.
  private var batchTime: Timestamp?
  /// The offset in the file at which the batch begins.
  private(set) var start: Int64
  @Boxed private(set) var options: JournalOptions
  @Boxed private var scanner = LineScanner()
  /// The number of lines read when the last event named everything that it had seen.
  var allSeenLineCount: Int?

  init(
    pass: JournalPass<Sink>, path: String, device: DeviceID?, options: JournalOptions,
    start: Int64, startLine: Int
  ) {
    self.pass = pass
    self.path = path
    self.device = device
    self.options = options
    self.start = start
    self.pass.nextLineNumber = startLine
  }

  /// Resets a finished batch for reuse with another reading, which it swaps for its own.
  mutating func begin(
    with pass: inout JournalPass<Sink>, device: DeviceID?, options: JournalOptions, start: Int64,
    startLine: Int
  ) {
    swap(&self.pass, &pass)
    self.pass.nextLineNumber = startLine
    (self.device, recordedDevice, continuedDevice) = (device, nil, nil)
    (hasDuplicateWriter, lost) = (false, [])
    (self.options, self.start) = (options, start)
    (batchStart, isInBatch, allSeenLineCount) = (0, false, nil)
    events.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
  }

  /// Sets the user of expected events if there is none yet.
  mutating func expect(user: String?) {
    if options.user == nil, pass.ledger.user == nil { options.user = user }
  }

  /// The capacity that is kept for the next batch.
  private static var keptBytesMax: Int { 1 << 20 }

  /// Adds one event under this journal's device.
  ///
  /// A fresh device joins first.
  ///
  /// - Parameter hasMore: Whether the next event belongs with this one: neither counts without the
  ///   other, even after a crash. The caller has to add it.
  ///
  /// - Throws: `eventTooLarge`; `userNeeded` or `otherUser` if the journal isn't this user's.
  package mutating func add(
    _ draft: EventDraft, hasMore: Bool = false
  ) throws(EventLogError) -> EventID {
    if events.isEmpty { try checkUser() }
    if device == nil { try join() }
    return try write(draft, hasMore: hasMore)
  }

  /// Checks that this journal accepts appends for the user it was opened for.
  package func checkUser() throws(EventLogError) {
    try options.checkUser()
    guard let owner = pass.ledger.user else {
      guard options.user != nil else {
        // Events of this copy are lost if the whole content was cut off.
        if !pass.ledger.devices.isEmpty || !lost.isEmpty {
          throw EventLogError(
            .userNeeded,
            "The line that names the journal's user is damaged or missing. Nothing was written.",
            hint: EventLogError.AppHint.noUser)
        }
        throw EventLogError(
          .userNeeded, "The journal is new and has no user yet.",
          hint: EventLogError.AppHint.noUser)
      }
      return
    }
    try pass.ledger.checkUser()
    try Self.check(options.user, isOwner: owner, of: path)
  }

  /// - Throws: `otherUser` if `user` is given and doesn't own the journal at `path`.
  package static func check(
    _ user: String?, isOwner owner: String, of path: String
  ) throws(EventLogError) {
    guard let user, !user.hasBytes(of: owner) else { return }
    throw .otherUser(user, path, of: [owner])
  }

  /// The name of a fresh device: the given one, or that of the device that it continues.
  private var nameOfFresh: String {
    guard options.givenDeviceName == nil, let device = continuedDevice else {
      return options.deviceName
    }
    let name = pass.ledger.find(device).map { pass.ledger.name(of: $0) } ?? ""
    // If the first event of that device is missing, its ID has most of the name.
    return name.isEmpty ? String(device.base) : name
  }

  private mutating func join() throws(EventLogError) {
    let user = pass.ledger.user ?? options.user ?? ""
    let name = nameOfFresh
    var fresh: DeviceID
    repeat {
      fresh = DeviceID.fresh(name: name, suffix: options.random.next(8))
    } while pass.ledger.find(fresh) != nil
    device = fresh
    for event in lost {
      pass.ledger.addMissing(
        of: event, named: .init(line: pass.nextLineNumber, byte: start + Int64(bytes.count)))
    }
    // Unfinished batches count once their ends are known to be missing.
    if !lost.isEmpty, !pass.unfinished.isEmpty { pass.ledger.mustReread = true }
    _ = try write(
      EventDraft(
        type: "device.joined",
        data: JSONObject([
          .init(name: "user", value: .string(user)),
          .init(name: "name", value: .string(name)),
        ])))
    // The joining event isn't one that the caller requested.
    events.removeLast()
  }

  /// Calls `body` with the reading in place. Calling its methods by ``pass`` would copy it.
  mutating func reading<Value>(
    _ body: (inout JournalPass<Sink>) throws(EventLogError) -> Value
  ) throws(EventLogError) -> Value { try body(&_pass.wrappedValue) }

  /// Discards the lines of a batch that won't be written.
  mutating func forgetBytes() { bytes = [] }

  /// Passes the line of a draft to a sink, without adding it.
  package func examine<Other: LineSink>(
    _ draft: EventDraft, with sink: inout Other
  ) throws(EventLogError) {
    var scanner = LineScanner()
    var draft = draft
    // The clock is read when the event is added.
    draft.at = draft.at ?? Timestamp(trusted: 0)
    // The examination ignores `seen`.
    let device = device ?? DeviceID(trusted: "unknown")
    var line: [UInt8] = []
    _ = try Self.encode(
      draft, for: device, after: pass.ledger.end(of: pass.ledger.find(device)), seen: [], options,
      to: &line)
    scanner.scanLast(of: &line, from: 0, at: 0, number: 1, into: &sink)
  }

  /// Appends the line of an event to `bytes`, or nothing if it throws.
  ///
  /// Static, because a call on a batch that is being changed would copy the reading.
  private static func encode(
    _ draft: EventDraft, for device: DeviceID, after end: (sequence: Int64, chain: UInt32),
    seen: [FullEventID], hasMore: Bool = false, _ options: JournalOptions,
    to bytes: inout [UInt8]
  ) throws(EventLogError) -> EventID {
    let id = EventID(device: device, sequence: end.sequence + 1)
    guard let at = draft.at ?? Timestamp(milliseconds: options.clock.now()),
      id.sequence <= LineLimits.sequenceMax
    else {
      throw EventLogError(
        .invalidEvent, "The clock is outside the years 0000 to 9999. Nothing was written.",
        hint: "Correct the device's clock.")
    }
    let begin = bytes.count
    _ = EventLineWriter.append(
      id: id, at: at, type: draft.type, entity: draft.entity, seen: seen, ref: draft.ref,
      more: hasMore, data: draft.data, salt: options.random.salt(LineLimits.saltCount),
      after: end.chain, to: &bytes)
    let length = bytes.count - begin - 1
    guard length <= LineLimits.lineBytesMax else {
      bytes.removeLast(bytes.count - begin)
      throw EventLogError(
        .eventTooLarge,
        "The event would be a line of \(length) bytes; the format allows"
          + " \(LineLimits.lineBytesMax). Nothing was written.",
        hint: "Keep large content in a separate file, and refer to it in the event.")
    }
    return id
  }

  /// The entries of `seen` for the next event.
  private func seen() -> [FullEventID] {
    // Nothing new to name since the last event.
    allSeenLineCount == pass.lineCount ? [] : pass.seen(by: device, lost)
  }

  /// The limit on the bytes of `seen` in an event.
  ///
  /// Any other entries are named by separate events before it, except for a device's first event.
  package static var seenBytesMax: Int { 1 << 16 }

  /// The first entries that fit in `byteCountMax` bytes.
  private static func entries(
    _ seen: [FullEventID], upTo byteCountMax: Int
  ) -> ArraySlice<FullEventID> {
    var byteCount = 0
    return seen.prefix { entry in
      byteCount += entry.description.utf8.count + 3
      return byteCount <= byteCountMax
    }
  }

  private mutating func write(
    _ draft: EventDraft, hasMore: Bool = false
  ) throws(EventLogError) -> EventID {
    var seen = seen()
    var isAll = true
    if !seen.isEmpty, pass.ledger.ends(of: device!).isEmpty {
      let first = Self.entries(seen, upTo: Self.seenBytesMax)
      isAll = first.count == seen.count
      seen = Array(first)
    }
    while Self.entries(seen, upTo: Self.seenBytesMax).count < seen.count {
      try writeLine(
        EventDraft(type: "device.seen", data: JSONObject()),
        seen: Array(Self.entries(seen, upTo: 8 * Self.seenBytesMax)))
      // This isn't one of the events that the caller requested.
      events.removeLast()
      seen = self.seen()
    }
    if !isInBatch { (batchStart, batchTime) = (bytes.count, nil) }
    isInBatch = hasMore
    var draft = draft
    if draft.at == nil {
      batchTime = batchTime ?? Timestamp(milliseconds: options.clock.now())
      draft.at = batchTime
    }
    let id = try writeLine(draft, seen: seen, hasMore: hasMore)
    if isAll { allSeenLineCount = pass.lineCount }
    return id
  }

  @discardableResult
  private mutating func writeLine(
    _ draft: EventDraft, seen: [FullEventID], hasMore: Bool = false
  ) throws(EventLogError) -> EventID {
    let begin = bytes.count
    if deviceNumber == nil { deviceNumber = pass.ledger.find(device!) }
    let (device, number) = (device!, deviceNumber)
    let end = try reading { (pass) throws(EventLogError) in pass.ledger.end(of: number) }
    let id = try Self.encode(
      draft, for: device, after: end, seen: seen, hasMore: hasMore, options, to: &bytes)
    let (failingCount, lineCount) = (pass.findings.failingCount, pass.lineCount)
    pass.admitsAtOnce = true
    _scanner.wrappedValue.scanLast(
      of: &bytes, from: begin, at: start + Int64(begin), number: pass.nextLineNumber,
      into: &_pass.wrappedValue)
    pass.admitsAtOnce = false
    guard pass.findings.failingCount == failingCount else {
      // The journal doesn't contain the refused line.
      pass.findings.forgetFailing(behind: failingCount)
      pass.lineCount = lineCount
      bytes.removeLast(bytes.count - begin)
      throw EventLogError(
        .invalidEvent, "The event breaks a rule of the journal format. Nothing was written.")
    }
    pass.nextLineNumber += 1
    try reading { (pass) throws(EventLogError) in pass.settleErasures() }
    events.append(id)
    return id
  }
}

extension JournalPass {
  /// The entries of `seen` for the next event of a device: the tips and the lost events that it has
  /// not named before.
  ///
  /// Lost events are known to be missing from then on.
  func seen(by device: DeviceID?, _ lost: [FullEventID] = []) -> [FullEventID] {
    let end = device.flatMap { ledger.find($0) }.flatMap { ledger.firstEnd(of: $0) }
    let tips = ledger.unstated(after: end)
    if lost.isEmpty { return tips }
    return
      (tips
      + lost.filter { event in
        guard let end, let point = ledger.locate(event) else { return true }
        return !ledger.hasSeen(end, point)
      }).sorted()
  }
}

extension Ledger {
  /// The sequence and chain before the next event of a device given by its number, or zeros before
  /// its first.
  fileprivate func end(of device: Int?) -> (sequence: Int64, chain: UInt32) {
    guard let device, let end = firstEnd(of: device) else { return (0, 0) }
    return (end.sequence, branches[Int(end.branch)].chain(at: end.sequence))
  }
}

extension EventLogError {
  /// The error if the given user doesn't own the journal.
  static func otherUser(_ user: String, _ path: String, of owners: [String]) -> EventLogError {
    var names = owners.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
    if owners.count > 5 { names += ", …" }
    return EventLogError(
      .otherUser,
      "\"\(path)\" belongs to the user \(names), not to \"\(user)\". Nothing was changed.",
      hint: "A journal contains one user's events: use another file, or the right user.",
      at: .init(file: path))
  }
}
