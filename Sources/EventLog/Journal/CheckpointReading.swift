/// A checkpoint's record of a reading, without the resulting state.
package struct CheckpointReading {
  /// The names of a checkpoint's parts.
  package enum Part {
    package static let reading = "reading"
    package static let ledger = "ledger"
  }

  package let checkpoint: Checkpoint
  /// The length of the checkpoint's file.
  package let byteCount: Int
  package let ledger: Ledger

  /// Reads the latest checkpoint beside a journal that matches its lines, or nil if there is none.
  ///
  /// - Parameter definition: The rules and the schema of the state, or nil to accept any.
  package init?(beside file: JournalFile, _ side: SideFolder, definition: [UInt8]? = nil) {
    self.init(file, side, definition) { $0.isOf(file) }
  }

  /// Reads the latest checkpoint of a side folder that was made from the bytes at the beginning of
  /// a file, even if it was made from another file.
  init?(ofBytesIn file: JournalFile, _ side: SideFolder) {
    self.init(file, side, nil) { $0.isWhole(in: file, file.fileSystem) }
  }

  private init?(
    _ file: JournalFile, _ side: SideFolder, _ definition: [UInt8]?,
    where isWanted: (Checkpoint.Origin) -> Bool
  ) {
    guard let size = try? file.status.size else { return nil }
    for path in side.checkpointPaths(of: definition) {
      guard let bytes = side.readCheckpoint(at: path, besideBytes: size),
        let checkpoint = try? Checkpoint(sealed: bytes),
        definition.map({ $0 == checkpoint.origin.definition }) ?? true,
        checkpoint.origin.mark.stands(in: file.descriptor, of: file.fileSystem, size: size),
        isWanted(checkpoint.origin),
        let reading = try? CheckpointReading(checkpoint, byteCount: bytes.count)
      else { continue }
      self = reading
      return
    }
    return nil
  }

  /// - Throws: `ColumnFault` if a required part is missing or invalid.
  package init(_ checkpoint: Checkpoint, byteCount: Int = 0) throws(ColumnFault) {
    self.checkpoint = checkpoint
    self.byteCount = byteCount
    ledger = try Ledger(from: checkpoint.part(Part.ledger))
  }

  /// A checkpoint of a reading without additional parts.
  package static func checkpoint<Sink: EventSink>(
    of pass: JournalPass<Sink>, _ origin: Checkpoint.Origin
  ) -> Checkpoint {
    var checkpoint = Checkpoint(origin: origin)
    checkpoint.parts[Part.reading] = pass.bytes[...]
    checkpoint.parts[Part.ledger] = pass.ledger.bytes[...]
    return checkpoint
  }

  /// The reading that continues after the checkpoint, or nil if the checkpoint's record is invalid.
  ///
  /// - Parameters:
  ///   - sink: The sink after the checkpoint's lines.
  ///   - blank: The sink before any lines.
  ///   - user: The user that was given explicitly.
  package func pass<Sink: EventSink>(
    _ sink: Sink, blank: Sink, user: String? = nil
  ) -> JournalPass<Sink>? {
    var ledger = ledger
    if let user, ledger.user.map({ !$0.hasBytes(of: user) }) ?? false { return nil }
    ledger.users.explicitUser = user
    guard let bytes = checkpoint.parts[Part.reading],
      let pass = try? JournalPass(from: bytes, ledger: ledger, sink: sink, blank: blank),
      pass.endOffset == checkpoint.origin.offset,
      pass.ledger.index.endsBefore(pass.endOffset)
    else { return nil }
    return pass
  }
}
