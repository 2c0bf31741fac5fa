/// What the last sync has read of another journal, kept in the own side folder: the next one begins
/// behind it, also with a copy on a stick, which has no checkpoint of its own.
package struct KeptReading: Sendable {
  private let side: SideFolder
  private let address: String

  /// Keeping is worth it once this much stands behind the last checkpoint, and this part of all:
  /// what is kept of the lines is shorter than that.
  private static let bytesMin: Int64 = 1 << 20
  private static let part: Int64 = 32

  /// - Parameters:
  ///   - side: The side folder of the journal that syncs.
  ///   - address: The other journal's.
  init(in side: SideFolder, of address: String) {
    self.side = side
    self.address = address
  }

  /// What was read of the journal; nil if nothing is kept that fits its lines.
  func checkpoint(
    of file: JournalFile, _ fileSystem: any FileSystem
  ) -> CheckpointReading? {
    side.readCheckpoint(ofOther: address).flatMap { CheckpointReading($0, file, fileSystem) }
  }

  /// Keeps what was read of a journal that has no checkpoint of its own. Where that fails, the next
  /// sync reads more, and nothing else.
  func keep(_ writer: JournalWriter<LedgerSink>) {
    let pass = writer.pass
    let start = pass.isResumed ? pass.checkpointOffset : 0
    guard pass.endOffset - start >= max(Self.bytesMin, pass.endOffset / Self.part),
      !writer.side.hasCheckpoint, let origin = writer.checkpointOrigin([])
    else { return }
    side.writeCheckpoint(CheckpointReading.checkpoint(of: pass, origin).sealed, ofOther: address)
  }
}
