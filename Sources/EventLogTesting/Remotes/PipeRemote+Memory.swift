package import EventLog
package import EventLogPipe

extension PipeRemote {
  /// A journal behind a pipe in memory, with a server of its own for each run.
  ///
  /// - Parameters:
  ///   - path: the journal's file.
  ///   - options: where the file is.
  ///   - byteCount: after so many bytes of a run, both sides find the other one gone; nil: never.
  package init(
    servingInMemory path: String, options: JournalOptions = JournalOptions(),
    limits: PipeLimits = PipeLimits(), cutAfter byteCount: Int? = nil
  ) {
    self.init(address: path, limits: limits) { () throws(EventLogError) in
      let (near, far) = MemoryChannel.pair(cutAfter: byteCount)
      Task { try? await PipeServer(path: path, options: options, limits: limits).serve(far) }
      return near
    }
  }
}
