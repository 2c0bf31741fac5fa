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
  package static let bytesMin: Int64 = 4 << 20

  /// - Parameters:
  ///   - pass: read of the own file as far as `other` is the same.
  ///   - other: the file of the other journal.
  package init<Sink: EventSink>(
    _ pass: JournalPass<Sink>, with other: JournalFile
  ) throws(EventLogError) {
    offset = pass.endOffset
    file = DeviceRecord.FileIdentity(try other.status)
    let (ledger, problems) = (pass.ledger, pass.problems)
    let (end, number, last, checksum) = (
      pass.endOffset, pass.nextLineNumber, pass.lastGood, pass.lastGoodChecksum
    )
    let (lines, slow) = (pass.lineCount, pass.slowLineCount)
    // Whether they are forks is found out with the file's end.
    let suspects = pass.suspects.map { suspect in
      JournalPass<LedgerSink>.Suspect(
        position: suspect.position, device: suspect.device, sequence: suspect.sequence,
        checksum: suspect.checksum)
    }
    reading = {
      var pass = JournalPass(sink: LedgerSink())
      pass.ledger = ledger
      pass.problems = problems
      (pass.endOffset, pass.nextLineNumber) = (end, number)
      (pass.lastGood, pass.lastGoodChecksum) = (last, checksum)
      (pass.lineCount, pass.slowLineCount) = (lines, slow)
      pass.suspects = suspects
      return pass
    }
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
