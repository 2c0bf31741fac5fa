extension StoreCore {
  /// Reads what the journal has in common with another one at its beginning, and keeps the state
  /// there; nil where one of the two has been read already, here or by what a checkpoint tells.
  func readBeginning(with other: JournalRemote) throws(EventLogError) -> SharedBeginning? {
    guard writer.pass.lineCount == 0, past == nil,
      let own = try? JournalFile.open(writer.path, .read, fileSystem: writer.fileSystem)
    else { return nil }
    defer { own.close() }
    let otherSystem = other.options.fileSystem
    guard let file = try? JournalFile.open(other.path, .read, fileSystem: otherSystem) else {
      return nil
    }
    defer { file.close() }
    let side = SideFolder(beside: other.path, fileSystem: otherSystem)
    guard CheckpointReading(beside: own, writer.side, writer.fileSystem) == nil,
      CheckpointReading(beside: file, side, otherSystem) == nil
    else { return nil }
    guard min(try own.status.size, try file.status.size) >= SharedBeginning.bytesMin,
      let pass = try read(own, whileSameAs: .init(file.descriptor, otherSystem))
    else { return nil }
    return try SharedBeginning(pass, with: file)
  }

  /// Reads the beginning of the own file for the writer, which goes on from there; nil where there
  /// is none, or a line of it fails: telling damage from a doubtful end takes the whole file.
  private func read(
    _ file: JournalFile, whileSameAs other: FileComparison.Side
  ) throws(EventLogError) -> JournalPass<StoreSink>? {
    var pass = writer.emptyPass
    pass.stopsAtFault = true
    do throws(Errno) {
      let end = try ReadAhead(
        of: file.descriptor, in: writer.fileSystem, whileSameAs: other
      ).readLines(upTo: try writer.fileSystem.status(of: file.descriptor).size, into: &pass)
      guard pass.stoppedAt == nil, pass.lineCount > 0 else { return nil }
      pass.stopsAtFault = false
      pass.slowLineCount += end.slowLineCount
      (pass.endOffset, pass.nextLineNumber) = (end.offset, end.number)
    } catch {
      throw .inputOutput("read", file.path, error, meaning: "Nothing was changed.")
    }
    let status = try file.status
    // So that what comes behind copies only what it changes. Where that is most of the file, pages
    // would cost more than they spare.
    if pass.endOffset >= status.size / 2 { pass.sink.fold.paginate() }
    past = (DeviceRecord.FileIdentity(status), pass)
    return pass
  }
}
