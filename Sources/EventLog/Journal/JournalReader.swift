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
  /// Whether nothing was read yet, or the reading is no longer valid.
  var mustReload = true
  /// False while `pass` changes, and after a failed read or write.
  var isWhole = true
  /// The number of times that the reading was reset.
  private(set) var resetCount = 0
  /// The user that was given explicitly.
  var user: String?
  /// The resume point, or nil before the first reading.
  private(set) var mark: ResumePoint?

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
    return pass
  }

  /// Discards the reading.
  func reset() {
    resetCount += 1
    pass = emptyPass
    mark = nil
    end = JournalReading.End()
    (mustReload, isWhole) = (true, true)
  }

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
    mustReload = true
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
    if mustReload || !lastLineStands(file, size: status.size) {
      reset()
      if let start = checkpoint?(file) {
        pass = start
        // The loss may have been accepted after the checkpoint was written.
        pass.findings.acceptedDamage = side.acceptedDamage
      }
    }
    // Set until the reading has succeeded, because a failed reading can't be continued.
    (mustReload, isWhole) = (true, false)
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    let restartCount = pass.restartCount
    end = try reading.read(into: &pass, record: fitting)
    isWhole = true
    if pass.lineCount > 0, journal == nil { journal = file }
    if pass.restartCount != restartCount { resetCount += 1 }
  }

  /// Sets the resume point after lines that were just written.
  func finish(_ file: JournalFile, after lines: [UInt8]) {
    journal = journal ?? file
    guard let known = ResumePoint(after: pass.lastGood, endingAt: pass.endOffset, with: lines)
    else { return finish(file) }
    (mark, mustReload) = (known, false)
  }

  /// Sets the resume point after the lines that were read.
  func finish(_ file: JournalFile) {
    mark = ResumePoint(
      after: pass.lastGood, endingAt: pass.endOffset, of: file.descriptor, in: fileSystem)
    // A last line without LF would be read twice.
    mustReload = end.lacksLineFeed
  }

  /// Whether the last line is still at its offset and the file wasn't shortened.
  func lastLineStands(_ file: JournalFile, size: Int64) -> Bool {
    mark?.stands(in: file.descriptor, of: fileSystem, size: size) == true
  }

  /// Whether a file of this size has not been written to since the last reading or writing.
  ///
  /// A line written into the preallocation doesn't change the size of the file.
  func isUnchanged(_ file: JournalFile, size: Int64) -> Bool {
    guard !mustReload, size == end.size, let mark else { return false }
    let hasSpaces = size != pass.endOffset && end.doubtfulTail == nil
    return mark.stands(
      in: file.descriptor, of: fileSystem, size: size, before: hasSpaces ? 0x20 : nil)
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
