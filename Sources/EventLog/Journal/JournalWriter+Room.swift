/// When a writer prepares room behind the last line, and how much.
///
/// A sync of bytes within the file takes less time than one that also has to record a new size of
/// the file. So a writer that appends one durable event after the other writes spaces ahead of
/// them, which no reader takes for anything, and takes away what is left when it is closed.
///
/// Only a single line is written into room, and only where nothing waits for a sync: if the power
/// goes, its lines would begin with the room's spaces. Of several lines, one could be lost unseen
/// like that, with those behind it in place.
struct PreparedRoom {
  /// So many bytes at a time: some 200 lines.
  static let byteCount = 64 << 10

  /// How many commits in a row were of that kind.
  private var commitCount = 0
  /// Whether this writer has prepared some since it took it away.
  private(set) var isPrepared = false

  /// Takes note of a commit.
  ///
  /// - Parameters:
  ///   - fits: whether it may be written into room.
  ///   - end: where its lines end.
  ///   - size: how long the file is.
  ///   - commitsMin: how many such commits have to come before.
  /// - Returns: how many spaces to write behind its lines.
  mutating func spaces(behind end: Int64, fits: Bool, size: Int64, after commitsMin: Int) -> Int {
    commitCount = fits ? commitCount + 1 : 0
    guard fits, end > size, commitCount > commitsMin else { return 0 }
    isPrepared = true
    return Self.byteCount
  }

  /// Takes note that there is none any more.
  mutating func clear() { (isPrepared, commitCount) = (false, 0) }
}

extension JournalWriter {
  /// Writes lines with room behind them, in one call; false where there is no space for both.
  ///
  /// - Throws: what keeps the lines from being written, and their beginning from being cut off.
  func writeWithRoom(
    _ bytes: [UInt8], at offset: Int64, _ spaceCount: Int, _ file: JournalFile
  ) throws(Errno) -> Bool {
    let spaces = [UInt8](repeating: 0x20, count: spaceCount)
    do throws(Errno) {
      try fileSystem.writeAll(file.descriptor, bytes + spaces, at: offset)
      return true
    } catch {
      // A disk that is nearly full, a quota, the longest file there can be: the lines may fit.
      guard [.noSpace, .quotaExceeded, .fileTooLarge].contains(error) else { throw error }
      room.clear()
      try fileSystem.truncate(file.descriptor, to: offset)
      return false
    }
  }

  /// Takes away the room that this writer has prepared, where no other process is about to write.
  ///
  /// Where that fails, spaces stay, which mean nothing.
  package func takeAwayRoom() {
    guard room.isPrepared, let file = reader.file, file.isWritable, file.isCurrent,
      (try? file.lock(exclusive: true, milliseconds: 0)) == true
    else { return }
    defer { unlock(file) }
    guard let status = file.currentStatus, (try? readOn(file, status)) != nil,
      end.doubtfulTail == nil, !end.lacksLineFeed
    else { return }
    try? cutRoom(of: file, at: pass.endOffset)
    noteLeft(hasNewRecord: true)
  }

  /// Cuts the file where the spaces at its end begin.
  func cutRoom(of file: JournalFile, at offset: Int64) throws(Errno) {
    room.clear()
    guard end.size > offset else { return }
    try fileSystem.truncate(file.descriptor, to: offset)
    reader.end.size = offset
  }
}
