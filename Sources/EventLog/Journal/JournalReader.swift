/// A writer's reading of its journal, which later readings continue.
///
/// A class, because the reading is large: calling a method of a value inside a class would copy it.
final class JournalReader<Sink: EventSink> {
  let path: String
  let fileSystem: any FileSystem
  let side: SideFolder
  /// A sink without events, which is copied because creating one may be expensive.
  let blank: Sink
  /// Called with the open file whenever a reading starts from the beginning.
  ///
  /// Returns a checkpoint's reading to continue.
  var checkpoint: ((JournalFile) -> JournalPass<Sink>?)?
  var file: JournalFile?
  /// The file once it was found to contain lines.
  ///
  /// A replacement is an error.
  private var journal: JournalFile?
  private var isReplaced = false
  /// The reading, including what was written.
  var pass: JournalPass<Sink>
  var end = JournalReading.End()
  private(set) var state = State.stale { didSet { checkInvariants(after: oldValue) } }
  /// The number of lines read when the last own event named everything that it had seen, or nil if
  /// that is unknown.
  var allSeenLineCount: Int?
  /// The number of times that the reading was reset.
  private(set) var resetCount = 0
  /// The user that was given explicitly.
  var user: String?
  /// The resume point, or nil before the first reading.
  private(set) var mark: ResumePoint?

  /// How `pass` relates to the file.
  ///
  /// ```
  ///           read                 commit
  ///  stale ────────▶ current ◀────────────────▶ lent
  ///   ▲ │  ◀────────    │                        ▲ │
  ///   │ │    replaced,  │                  batch │ │
  ///   │ │    distrusted │           from `stale` │ │
  ///   │ └───────────────┼────────────────────────┘ │
  ///   │   a failed read ▼            a failed write │
  ///   └───────────── broken ◀───────────────────────┘
  ///        reset
  /// ```
  enum State {
    /// `pass` is empty or an earlier state of the journal. The next reading starts again.
    case stale
    /// `pass` contains every line up to its end, where the next reading continues.
    case current
    /// A batch owns the contents of `pass`, which were current, or an earlier state.
    case lent(isCurrent: Bool)
    /// `pass` isn't a state of the journal. The next reading starts again.
    case broken
  }

  /// Asserts what holds in each state, and that the transition is one of the diagram's.
  private func checkInvariants(after old: State) {
    switch (old, state) {
    case (.broken, .current), (.broken, .lent), (.lent, .lent):
      assertionFailure("no reading leads from \(old) to \(state)")
    case (_, .current):
      assert(!end.lacksLineFeed, "the last line would be read twice")
      assert(pass.endOffset <= end.size, "the reading ends after the file")
    case (_, .stale), (_, .lent), (_, .broken): break
    }
  }

  /// Whether ``pass`` is a state of the journal.
  var isWhole: Bool {
    switch state {
    case .stale, .current: true
    case .lent, .broken: false
    }
  }
  var isCurrent: Bool { if case .current = state { true } else { false } }

  init(path: String, options: JournalOptions, side: SideFolder, sink: Sink) {
    self.path = path
    fileSystem = options.fileSystem
    self.side = side
    blank = sink
    user = options.user
    pass = JournalPass(sink: sink)
  }

  /// A pass that has read nothing.
  var emptyPass: JournalPass<Sink> {
    var pass = JournalPass(sink: blank)
    pass.ledger.users.explicitUser = user
    pass.findings.acceptedDamage = side.acceptedDamage
    pass.findings.overwrites = side.overwrites
    return pass
  }

  /// Discards the reading.
  func reset() {
    resetCount += 1
    pass = emptyPass
    (mark, allSeenLineCount) = (nil, nil)
    end = JournalReading.End()
    state = .stale
  }

  /// Requires the next reading to start again.
  func distrust() { state = isWhole ? .stale : .broken }

  /// Lets a batch take the contents of `pass`.
  func lend(_ take: (inout JournalPass<Sink>) -> Void) {
    state = .lent(isCurrent: isCurrent)
    take(&pass)
  }

  /// Takes the contents of `pass` back from a batch.
  ///
  /// - Parameter isWritten: Whether the file contains the batch's events. If so, the reading is
  ///   current after ``finish(_:after:)``.
  func takeBack(_ lent: inout JournalPass<Sink>, isWritten: Bool) {
    guard case .lent(let isCurrent) = state else { return }
    swap(&pass, &lent)
    state = isCurrent && !isWritten ? .current : .stale
  }

  func markBroken() { state = .broken }

  /// Opens the journal if it isn't open.
  ///
  /// Once the journal was replaced or removed, every call fails.
  ///
  /// - Throws: `journalReplaced`; the errors of ``JournalFile/open(_:_:fileSystem:)``.
  func open(_ access: FileAccess = .read) throws(EventLogError) -> JournalFile {
    if let file { return file }
    let opened = try openAgain(access)
    file = opened
    return opened
  }

  /// Opens the file at the path once more.
  ///
  /// - Throws: The errors of ``open(_:)``.
  func openAgain(_ access: FileAccess) throws(EventLogError) -> JournalFile {
    try checkIsThere()
    let reopened: JournalFile
    do throws(EventLogError) {
      reopened = try JournalFile.open(
        path, journal != nil && access == .create ? .readWrite : access, fileSystem: fileSystem)
    } catch {
      try checkIsThere()
      throw error
    }
    if journal?.isSame(as: reopened) != false { return reopened }
    reopened.close()
    isReplaced = true
    throw .journalReplaced(path)
  }

  /// - Throws: `journalReplaced` if the journal is no longer at its path.
  func checkIsThere() throws(EventLogError) {
    isReplaced = isReplaced || journal?.isReplaced ?? false
    if isReplaced { throw .journalReplaced(path) }
  }

  /// Closes a replaced file.
  ///
  /// One that never contained a line isn't the journal yet.
  ///
  /// - Throws: `journalReplaced` for the journal.
  func closeIfReplaced() throws(EventLogError) {
    guard let file, !file.isCurrent else { return }
    close()
    distrust()
    try checkIsThere()
  }

  func close() {
    file?.close()
    file = nil
  }

  /// Reads to the end of the file.
  func readOn(
    _ file: JournalFile, _ record: DeviceRecord?
  ) throws(EventLogError) {
    let status = try file.status
    let fitting = record.flatMap {
      SideFolder.fits($0, .init(status), fileSystem.machineIdentity()) ? $0 : nil
    }
    if !isCurrent || !lastLineStands(file, size: status.size) {
      reset()
      if let start = checkpoint?(file) {
        pass = start
        // The loss may have been accepted after the checkpoint was written.
        pass.findings.acceptedDamage = side.acceptedDamage
        pass.findings.overwrites = side.overwrites
      }
    }
    // A failed reading can't be continued.
    state = .broken
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    let restartCount = pass.restartCount
    end = try reading.read(into: &pass, record: fitting)
    state = .stale
    if pass.lineCount > 0, journal == nil { journal = file }
    if pass.restartCount != restartCount {
      resetCount += 1
      allSeenLineCount = nil
    }
  }

  /// Sets the resume point after lines that were just written.
  func finish(_ file: JournalFile, after lines: [UInt8]) {
    journal = journal ?? file
    guard let known = ResumePoint(after: pass.lastGood, endingAt: pass.endOffset, with: lines)
    else { return finish(file) }
    (mark, state) = (known, .current)
  }

  /// Sets the resume point after the lines that were read.
  func finish(_ file: JournalFile) {
    mark = ResumePoint(
      after: pass.lastGood, endingAt: pass.endOffset, of: file.descriptor, in: fileSystem)
    // A last line without LF would be read twice.
    state = end.lacksLineFeed ? .stale : .current
  }

  /// Whether the last line is still at its offset and the file wasn't shortened.
  func lastLineStands(_ file: JournalFile, size: Int64) -> Bool {
    mark?.stands(in: file.descriptor, of: fileSystem, size: size) == true
  }

  /// Whether a file of this size has not been written to since the last reading or writing.
  func isUnchanged(_ file: JournalFile, size: Int64) -> Bool {
    // Another process can cut blank bytes and write as many.
    guard isCurrent, size == end.size, size == pass.endOffset || end.doubtfulTail != nil, let mark
    else { return false }
    return mark.stands(in: file.descriptor, of: fileSystem, size: size)
  }

  /// The offset for the next line: after the last valid line, even if that lacks its LF.
  var writeOffset: Int64 {
    guard end.lacksLineFeed, let last = pass.lastGood else { return pass.endOffset }
    return last.offset + Int64(last.byteCount) + 1
  }

  /// Rereads the lines of `pass`.
  func rereading() throws(EventLogError) -> JournalRereading {
    let file = try open()
    return JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass)
  }
}
