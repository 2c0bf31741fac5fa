/// What a checkpoint tells of a reading, without the state that came of it.
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

  /// Reads the checkpoint beside a journal; nil if there is none that fits its lines.
  ///
  /// - Parameter definition: what the state must have been made by; nil: it does not matter.
  package init?(
    beside file: JournalFile, _ side: SideFolder, _ fileSystem: any FileSystem,
    definition: [UInt8]? = nil
  ) {
    guard let bytes = side.readCheckpoint(), let checkpoint = try? Checkpoint(sealed: bytes),
      definition == nil || checkpoint.origin.definition == definition,
      checkpoint.origin.stands(in: file, fileSystem),
      let reading = try? CheckpointReading(checkpoint, byteCount: bytes.count)
    else { return nil }
    self = reading
  }

  /// - Throws: `ColumnFault` where a part that must be there is missing or wrong.
  package init(_ checkpoint: Checkpoint, byteCount: Int = 0) throws(ColumnFault) {
    self.checkpoint = checkpoint
    self.byteCount = byteCount
    ledger = try checkpoint.read(Part.ledger) { (decoder) throws(ColumnFault) in
      try Ledger(from: &decoder)
    }
  }

  /// The reading that goes on behind the checkpoint; nil where what it tells is wrong.
  package func pass<Sink: EventSink>(_ sink: Sink) -> JournalPass<Sink>? {
    let ledger = ledger
    let pass = try? checkpoint.read(Part.reading) { (decoder) throws(ColumnFault) in
      try JournalPass(from: &decoder, ledger: ledger, sink: sink)
    }
    guard let pass, pass.endOffset == checkpoint.origin.offset else { return nil }
    return pass
  }
}
