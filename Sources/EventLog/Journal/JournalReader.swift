/// How far a writer has read its journal, and where it goes on.
///
/// A class, because what was read is large: a method of a value that stands in a class is called on
/// a copy of it.
final class JournalReader<Sink: EventSink> {
  let path: String
  let fileSystem: any FileSystem
  let side: SideFolder
  /// A sink that has taken nothing; copied, because making one may cost.
  let blank: Sink
  /// Called whenever a reading begins anew, with the journal's open file; returns what a checkpoint
  /// tells of the lines before where the reading may begin.
  var checkpoint: ((JournalFile) -> JournalPass<Sink>?)?
  var file: JournalFile?
  /// The file since it was seen to contain lines: no other file takes its place.
  private var journal: JournalFile?
  private var isReplaced = false
  /// What was read and written so far.
  var pass: JournalPass<Sink>
  var end = JournalReading.End()
  /// Nothing was read yet, or what was read no longer counts.
  var mustReload = true
  /// Whether `pass` is what the journal held at some time: not while it is read or written, and not
  /// after either broke off.
  var isWhole = true
  /// How often what was read was forgotten.
  private(set) var resetCount = 0
  /// The user that somebody gave.
  var user: String?
  /// Where it ended; nil before the first reading.
  private(set) var mark: ReadingMark?

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
    pass.ledger.users.given = user
    pass.findings.acceptedDamage = side.acceptedDamage
    return pass
  }

  /// Forgets what was read.
  func reset() {
    resetCount += 1
    pass = emptyPass
    mark = nil
    end = JournalReading.End()
    (mustReload, isWhole) = (true, true)
  }

  /// Opens the journal, if that was not done yet. If another file, or none, is there now, each call
  /// fails from then on.
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
  /// - Throws: as ``open(_:)``.
  func openAgain(_ access: FileAccess) throws(EventLogError) -> JournalFile {
    try checkIsThere()
    let again: JournalFile
    do throws(EventLogError) {
      again = try JournalFile.open(
        path, journal != nil && access == .create ? .readWrite : access, fileSystem: fileSystem)
    } catch {
      try checkIsThere()
      throw error
    }
    if journal?.isSame(as: again) != false { return again }
    again.close()
    isReplaced = true
    throw .journalReplaced(path)
  }

  /// - Throws: `journalReplaced` if the journal isn't at its path any more.
  func checkIsThere() throws(EventLogError) {
    isReplaced = isReplaced || journal?.isReplaced ?? false
    if isReplaced { throw .journalReplaced(path) }
  }

  /// Closes a file that was replaced. One that never contained a line is no journal yet.
  ///
  /// - Throws: `journalReplaced` for the journal.
  func closeIfReplaced() throws(EventLogError) {
    guard let file, !file.isCurrent else { return }
    close()
    mustReload = true
    try checkIsThere()
  }

  /// Closes the file.
  func close() {
    file?.close()
    file = nil
  }

  /// Brings the pass to the file's end.
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
        // A person may have acknowledged it since.
        pass.findings.acceptedDamage = side.acceptedDamage
      }
    }
    // Until all that follows has succeeded: a reading that broke off cannot be gone on with.
    (mustReload, isWhole) = (true, false)
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    let restartCount = pass.restartCount
    end = try reading.read(into: &pass, record: fitting)
    isWhole = true
    if pass.lineCount > 0, journal == nil { journal = file }
    if pass.restartCount != restartCount { resetCount += 1 }
  }

  /// Takes note of where the pass ended with lines that were just written.
  func finish(_ file: JournalFile, behind lines: [UInt8]) {
    journal = journal ?? file
    guard let known = ReadingMark(behind: pass.lastGood, endingAt: pass.endOffset, with: lines)
    else { return finish(file) }
    (mark, mustReload) = (known, false)
  }

  /// Takes note of where the reading ended: what is appended is read from there.
  func finish(_ file: JournalFile) {
    mark = ReadingMark(
      behind: pass.lastGood, endingAt: pass.endOffset, of: file.descriptor, in: fileSystem)
    // A last line without LF would be read a second time.
    mustReload = end.lacksLineFeed
  }

  /// Whether the last line known still stands where it stood, and nothing read was cut.
  func lastLineStands(_ file: JournalFile, size: Int64) -> Bool {
    mark?.stands(in: file.descriptor, of: fileSystem, size: size) == true
  }

  /// Whether nothing was written since the last reading or writing, of a file so long.
  ///
  /// Where there is room behind the last line, the next one does not make the file any longer.
  func isUnchanged(_ file: JournalFile, size: Int64) -> Bool {
    guard !mustReload, size == end.size, let mark else { return false }
    let hasRoom = size != pass.endOffset && end.doubtfulTail == nil
    return mark.stands(
      in: file.descriptor, of: fileSystem, size: size, before: hasRoom ? 0x20 : nil)
  }

  /// Where the next line goes: behind the last good line, also where that lacks its LF.
  var writeOffset: Int64 {
    guard end.lacksLineFeed, let last = pass.lastGood else { return pass.endOffset }
    return last.offset + Int64(last.byteCount) + 1
  }

  /// Reads again what `pass` holds.
  func rereading() throws(EventLogError) -> JournalRereading {
    let file = try open()
    return JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass)
  }
}
