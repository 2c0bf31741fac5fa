/// Decides when and how much space a writer preallocates after the last line.
///
/// Syncing bytes within a file takes less time than syncing a new size as well. So a writer that
/// appends single durable events writes spaces ahead of them, which readers ignore, and removes the
/// remaining ones when it is closed.
///
/// A line is written into the preallocation only if it is a single one and no others wait for a
/// sync: after a power loss, a line may be replaced by the spaces. With several lines, one could be
/// lost unnoticed in this way while later ones remain.
struct Preallocation {
  /// The size of a preallocation, enough for about 200 lines.
  static let byteCount = 64 << 10

  /// The number of commits in a row that fit.
  private var commitCount = 0
  /// Whether this writer has preallocated space that it hasn't removed.
  private(set) var isPrepared = false

  /// Counts a commit and decides whether to preallocate.
  ///
  /// - Parameters:
  ///   - fits: Whether the commit may be written into a preallocation.
  ///   - end: The offset after its lines.
  ///   - size: The size of the file.
  ///   - commitsMin: The number of such commits that must come before.
  /// - Returns: The number of spaces to write after the lines.
  mutating func spaces(after end: Int64, fits: Bool, size: Int64, commitsMin: Int) -> Int {
    commitCount = fits ? commitCount + 1 : 0
    guard fits, end > size, commitCount > commitsMin else { return 0 }
    isPrepared = true
    return Self.byteCount
  }

  /// Resets the state when there is no preallocation.
  mutating func clear() { (isPrepared, commitCount) = (false, 0) }
}

extension JournalWriter {
  /// Writes lines and spaces in one call.
  ///
  /// Returns false if there isn't enough disk space for both.
  ///
  /// - Throws: The error that prevented writing the lines or removing a partial write.
  func writePreallocating(
    _ bytes: [UInt8], at offset: Int64, _ spaceCount: Int, _ file: JournalFile
  ) throws(Errno) -> Bool {
    let spaces = [UInt8](repeating: 0x20, count: spaceCount)
    do throws(Errno) {
      try fileSystem.writeAll(file.descriptor, bytes + spaces, at: offset)
      return true
    } catch {
      // The lines alone may fit on a nearly full disk, in a quota, or below the maximum file size.
      guard [.noSpace, .quotaExceeded, .fileTooLarge].contains(error) else { throw error }
      preallocation.clear()
      try fileSystem.truncate(file.descriptor, to: offset)
      return false
    }
  }

  /// Removes the space that this writer has preallocated, unless another process holds the lock.
  ///
  /// On failure, the spaces remain, which is harmless.
  package func trimPreallocation() {
    guard preallocation.isPrepared, let file = reader.file, file.isWritable, file.isCurrent,
      (try? file.lock(exclusive: true, milliseconds: 0)) == true
    else { return }
    defer { unlock(file) }
    guard let status = file.currentStatus, (try? readOn(file, status)) != nil,
      end.doubtfulTail == nil, !end.lacksLineFeed
    else { return }
    try? cutPreallocation(of: file, at: pass.endOffset)
    noteLeft(hasNewRecord: true)
  }

  /// Cuts the spaces off the end of the file.
  func cutPreallocation(of file: JournalFile, at offset: Int64) throws(Errno) {
    preallocation.clear()
    guard end.size > offset else { return }
    try fileSystem.truncate(file.descriptor, to: offset)
    reader.end.size = offset
  }
}
