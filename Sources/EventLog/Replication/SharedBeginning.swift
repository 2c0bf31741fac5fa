/// What two journals have in common at their beginnings, read once for both.
///
/// Two copies of a journal that have not met for a while mostly differ at their ends. Comparing
/// their bytes costs a small part of reading them.
package struct SharedBeginning: Sendable {
  /// Up to where, behind an LF, both files have the same bytes.
  package let offset: Int64
  /// The other journal's file.
  let file: DeviceRecord.FileIdentity
  /// What a reading of either came to there, its events aside.
  private let reading: @Sendable () -> JournalPass<LedgerSink>

  /// Less than this is as well read twice.
  private static let bytesMin: Int64 = 4 << 20

  /// Compares a journal with another one; nil where they have little in common, or one of them need
  /// not be read from its beginning.
  ///
  /// - Parameter read: reads the own file up to an offset; nil where that is not to be.
  package static func find<Sink: EventSink>(
    _ own: JournalFile, _ ownSystem: any FileSystem, _ other: JournalFile,
    _ otherSystem: any FileSystem, _ read: (Int64) throws(EventLogError) -> JournalPass<Sink>?
  ) throws(EventLogError) -> SharedBeginning? {
    let (size, otherSize) = (try own.status.size, try other.status.size)
    guard min(size, otherSize) >= bytesMin else { return nil }
    let offset: Int64
    do throws(Errno) {
      offset = try FileComparison.commonLines(
        of: own.descriptor, ownSystem, other.descriptor, otherSystem)
    } catch {
      throw .inputOutput("read", other.path, error, meaning: "Nothing was changed.")
    }
    guard offset >= otherSize / 2, let pass = try read(offset) else { return nil }
    let identity = DeviceRecord.FileIdentity(try other.status)
    let (ledger, other) = (pass.ledger, pass)
    let problems = pass.problems
    let (end, number, last, checksum) = (
      other.endOffset, other.nextLineNumber, other.lastGood, other.lastGoodChecksum
    )
    let (lines, slow) = (other.lineCount, other.slowLineCount)
    return SharedBeginning(offset: offset, file: identity) {
      var pass = JournalPass(sink: LedgerSink())
      pass.ledger = ledger
      pass.problems = problems
      (pass.endOffset, pass.nextLineNumber) = (end, number)
      (pass.lastGood, pass.lastGoodChecksum) = (last, checksum)
      (pass.lineCount, pass.slowLineCount) = (lines, slow)
      return pass
    }
  }

  private init(
    offset: Int64, file: DeviceRecord.FileIdentity,
    _ reading: @escaping @Sendable () -> JournalPass<LedgerSink>
  ) {
    self.offset = offset
    self.file = file
    self.reading = reading
  }

  /// The reading of the other file as if it had come to ``offset``; nil for a file that is not the
  /// one that was compared.
  func pass(of file: JournalFile) -> JournalPass<LedgerSink>? {
    guard let status = try? file.status, DeviceRecord.FileIdentity(status) == self.file,
      status.size >= offset
    else { return nil }
    return reading()
  }
}
