/// What two journals have in common at their beginnings, read once for both.
///
/// Two copies of a journal that have not synced for a while mostly differ at their ends. Comparing
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
    let (ledger, findings) = (pass.ledger, pass.findings)
    let (end, number, last) = (pass.endOffset, pass.nextLineNumber, pass.lastGood)
    let (lines, slow) = (pass.lineCount, pass.slowLineCount)
    let (waiting, batch) = (pass.waiting, pass.batch)
    reading = {
      var pass = JournalPass(sink: LedgerSink())
      pass.ledger = ledger
      // Whose device writes to the other file, its own side folder tells.
      (pass.ledger.users.ownDevice, pass.ledger.users.given) = (nil, nil)
      pass.findings = findings
      (pass.endOffset, pass.nextLineNumber, pass.lastGood) = (end, number, last)
      (pass.lineCount, pass.slowLineCount) = (lines, slow)
      (pass.waiting, pass.batch) = (waiting, batch)
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
