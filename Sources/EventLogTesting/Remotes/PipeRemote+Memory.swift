package import EventLog
package import EventLogPipe
package import EventLogRemotes

extension PipeRemote {
  /// Creates a remote that serves a journal through a pipe in memory, with a new server per run.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - options: The options of the server.
  ///   - byteCount: The number of bytes of a run after which both sides find the other one gone. If
  ///     nil, the pipe is never cut.
  ///   - contents: Returns the contents beside the journal for one run.
  package init(
    servingInMemory path: String, options: JournalOptions = JournalOptions(),
    limits: PipeLimits = PipeLimits(), cutAfter byteCount: Int? = nil,
    contents: (@Sendable (JournalOptions) -> any ContentSession)? = nil
  ) {
    self.init(address: path, limits: limits) { () throws(EventLogError) in
      let (near, far) = MemoryChannel.pair(cutAfter: byteCount)
      let server = PipeServer(path: path, options: options, limits: limits, contents: contents)
      Task { try? await server.serve(far) }
      return near
    }
  }
}
