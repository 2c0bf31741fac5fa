extension StoreCore {
  /// Reads the lines with which this journal and another one begin alike, and keeps the state after
  /// them; nil if a part of either was read already, or a checkpoint spares it.
  func readPrefix(with other: JournalRemote) -> CommonPrefix<LedgerSink>? {
    let (fileSystem, otherSystem) = (writer.fileSystem, other.options.fileSystem)
    guard writer.pass.lineCount == 0, past == nil,
      let own = try? JournalFile.open(writer.path, .read, fileSystem: fileSystem)
    else { return nil }
    defer { own.close() }
    guard let file = try? JournalFile.open(other.path, .read, fileSystem: otherSystem) else {
      return nil
    }
    defer { file.close() }
    let side = SideFolder(beside: other.path, fileSystem: otherSystem)
    guard CheckpointReading(beside: own, writer.side) == nil,
      CheckpointReading(beside: file, side) == nil,
      var prefix = CommonPrefix(of: own, and: file, into: writer.emptyPass)
    else { return nil }
    // Then what follows copies only what it changes. If most is still to come, pages cost more than
    // they save.
    if prefix.isMost { prefix.pass.sink.fold.paginate() }
    past = prefix
    return prefix.continued(into: LedgerSink())
  }
}
