/// What the last sync has read of another journal, kept in the own side folder: the next one begins
/// behind it, also with a copy on a stick, which has no checkpoint of its own.
package struct KeptReading: Sendable {
  private let side: SideFolder
  private let address: String

  /// A reading is kept once this many bytes stand behind the last one, and a 32nd of all: what is
  /// kept of the lines is shorter than that.
  private static let bytesMin: Int64 = 1 << 20
  private static let part: Int64 = 32

  /// - Parameters:
  ///   - side: The side folder of the journal that syncs.
  ///   - address: The other journal's.
  init(in side: SideFolder, of address: String) {
    self.side = side
    self.address = address
  }

  /// What was read of the journal; nil unless its last line still stands where it stood.
  ///
  /// It may be another file by now: on some sticks, files have new identities each time. So every
  /// byte has to be compared besides.
  func checkpoint(
    of file: JournalFile, _ fileSystem: any FileSystem
  ) -> CheckpointReading? {
    guard let bytes = side.readCheckpoint(ofOther: address),
      let checkpoint = try? Checkpoint(sealed: bytes), let size = try? file.status.size,
      checkpoint.origin.mark.stands(in: file.descriptor, of: fileSystem, size: size)
    else { return nil }
    return try? CheckpointReading(checkpoint, byteCount: bytes.count)
  }

  /// Forgets what was kept: the journal does not hold what it tells.
  func remove() { side.removeCheckpoint(ofOther: address) }

  /// Keeps what was read of a journal. Where that fails, the next sync reads more, and nothing
  /// else.
  ///
  /// - Parameter origin: of what the reading began with; nil if it began at the first line.
  func keep(_ writer: JournalWriter<LedgerSink>, after origin: Checkpoint.Origin?) {
    let pass = writer.pass
    let origin = pass.isResumed ? origin : nil
    guard
      pass.endOffset - (origin?.offset ?? 0) >= max(Self.bytesMin, pass.endOffset / Self.part),
      let next = writer.checkpointOrigin(
        [], known: origin.map { ($0.offset, $0.contents) } ?? (0, 0))
    else { return }
    side.writeCheckpoint(CheckpointReading.checkpoint(of: pass, next).sealed, ofOther: address)
  }
}
