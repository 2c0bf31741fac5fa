/// The common lines at the beginning of two journals, read once for both.
///
/// Two copies of a journal that have not synced for a while differ only near their ends, and
/// comparing their bytes takes a small part of the time of reading them.
package struct CommonPrefix<Sink: EventSink> {
  /// The reading of the common lines.
  package var pass: JournalPass<Sink>
  private let files: [DeviceRecord.FileIdentity]
  private let mark: ResumePoint
  /// Whether the lines are more than half of the left file.
  package let isMost: Bool

  /// Compares two files and reads the lines that they have in common.
  ///
  /// Returns nil if there are none, if one of them fails its checks, or if a file can't be read.
  /// Only reading the whole file distinguishes damage from a doubtful end and reports both.
  package init?(of left: JournalFile, and right: JournalFile, into blank: JournalPass<Sink>) {
    var pass = blank
    guard let (here, there) = try? (left.status, right.status),
      let end = try? left.commonEnd(with: right, size: min(here.size, there.size)),
      (try? Self.read(left, upTo: end, into: &pass)) != nil,
      pass.stoppedAt == nil, pass.lineCount > 0,
      let mark = ResumePoint(
        after: pass.lastGood, endingAt: pass.endOffset, of: left.descriptor, in: left.fileSystem)
    else { return nil }
    pass.stopsAtFault = false
    self.init(
      pass: pass, files: [.init(here), .init(there)], mark: mark,
      isMost: pass.endOffset > here.size / 2)
  }

  private init(
    pass: JournalPass<Sink>, files: [DeviceRecord.FileIdentity], mark: ResumePoint, isMost: Bool
  ) {
    self.pass = pass
    self.files = files
    self.mark = mark
    self.isMost = isMost
  }

  /// The reading of one of the two files up to the end of the common lines, or nil for another file
  /// or a file that has changed.
  package func pass(of file: JournalFile) -> JournalPass<Sink>? {
    guard let status = try? file.status, files.contains(.init(status)),
      mark.stands(in: file.descriptor, of: file.fileSystem, size: status.size)
    else { return nil }
    return pass
  }

  /// The prefix for reading the other journal into `sink`, which skips the common lines.
  package func continued<Other: EventSink>(into sink: Other) -> CommonPrefix<Other> {
    CommonPrefix<Other>(
      pass: pass.continued(into: sink), files: files, mark: mark, isMost: isMost)
  }

  private static func read(
    _ file: JournalFile, upTo end: Int64, into pass: inout JournalPass<Sink>
  ) throws(Errno) {
    pass.stopsAtFault = true
    try JournalReading(path: file.path, fileSystem: file.fileSystem, file: file.descriptor)
      .read(into: &pass, upTo: end)
  }
}

extension CommonPrefix: Sendable where Sink: Sendable {}

extension JournalPass {
  /// The same reading for another sink and another file with the same lines.
  fileprivate func continued<Other: EventSink>(into sink: Other) -> JournalPass<Other> {
    var pass = JournalPass<Other>(sink: sink)
    pass.ledger = ledger
    // The side folder of the other file identifies its device.
    (pass.ledger.users.ownDevice, pass.ledger.users.explicitUser) = (nil, nil)
    pass.findings = findings
    (pass.endOffset, pass.nextLineNumber, pass.lastGood) = (endOffset, nextLineNumber, lastGood)
    (pass.lineCount, pass.slowLineCount) = (lineCount, slowLineCount)
    (pass.waiting, pass.batch) = (waiting, batch)
    return pass
  }
}

extension JournalFile {
  /// From this size on, two threads compare one half each.
  private static let parallelBytesMin: Int64 = 4 << 20
  private static let chunkBytes: Int64 = 256 << 10

  /// The end of the last line before the first difference of the files.
  fileprivate func commonEnd(with other: JournalFile, size: Int64) throws(Errno) -> Int64 {
    if size < Self.parallelBytesMin { return try compare(with: other, in: 0..<size).lineEnd ?? 0 }
    let (second, first) = try SerialWorker(label: "eventlog.compare").both(
      there: { () throws(Errno) in try compare(with: other, in: size / 2..<size) },
      here: { () throws(Errno) in try compare(with: other, in: 0..<size / 2) })
    return (first.isSame ? second.lineEnd : nil) ?? first.lineEnd ?? 0
  }

  /// Compares a part of two files.
  ///
  /// Returns whether all of it is equal, and the last end of a line before the first difference.
  private func compare(
    with other: JournalFile, in part: Range<Int64>
  ) throws(Errno) -> (lineEnd: Int64?, isSame: Bool) {
    var lineEnd: Int64?
    var offset = part.lowerBound
    while offset < part.upperBound {
      let count = Int(min(Self.chunkBytes, part.upperBound - offset))
      let here = try fileSystem.readBytes(descriptor, at: offset, count: count)
      let there = try other.fileSystem.readBytes(other.descriptor, at: offset, count: count)
      let common = commonCount(here, there)
      if let last = here[..<common].lastIndex(of: 0x0A) { lineEnd = offset + Int64(last) + 1 }
      if common < count { return (lineEnd, false) }
      offset += Int64(count)
    }
    return (lineEnd, true)
  }
}
