extension StoreCore {
  /// Reads the common prefix of this journal and another one and keeps the state after it.
  ///
  /// - Returns: nil if this journal was read already, or if a checkpoint saves this reading.
  func readPrefix(with other: JournalRemote) -> CommonPrefix<LedgerSink>? {
    let (fileSystem, otherSystem) = (writer.fileSystem, other.options.fileSystem)
    guard writer.pass.lineCount == 0, prefix == nil,
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
      let prefix = CommonPrefix(of: own, and: file, into: writer.emptyPass)
    else { return nil }
    self.prefix = prefix
    return prefix.continued(into: LedgerSink())
  }

  /// Returns the pass after the common prefix, once, so that it is continued without a copy.
  func takePrefix(of file: JournalFile) -> JournalPass<StoreSink>? {
    defer { prefix = nil }
    return prefix?.pass(of: file)
  }
}
