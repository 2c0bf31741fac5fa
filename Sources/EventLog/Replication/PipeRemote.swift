/// A journal at the other end of a pipe, which `eventlog serve` hands out there:
/// a program on this machine, or on another one behind `ssh`.
///
/// Encryption and who may do what are the pipe's affair. The protocol is described in
/// `Docs/Internals/Protocol.md`.
public struct PipeRemote: ReachableRemote {
  /// What the remote is remembered by.
  public let address: String
  let limits: PipeLimits
  /// Milliseconds since some fixed moment.
  var now: @Sendable () -> Int64 = monotonicMilliseconds
  private let open: @Sendable () async throws(EventLogError) -> any ByteChannel

  /// A journal behind a channel of any kind.
  ///
  /// - Parameters:
  ///   - address: how a person names it.
  ///   - open: opens a channel for one run. The run closes it.
  package init(
    address: String, limits: PipeLimits = PipeLimits(),
    open: @escaping @Sendable () async throws(EventLogError) -> any ByteChannel
  ) {
    self.address = address
    self.limits = limits
    self.open = open
  }

  /// A journal that a program hands out on its standard input and output.
  ///
  /// The program is started for each run, with this process's environment; it is killed if it does
  /// not end with the run.
  ///
  /// - Parameters:
  ///   - address: how a person names it.
  ///   - command: the program, searched for as a shell does, and its arguments.
  public init(address: String, command: [String]) {
    self.init(address: address, command: command, limits: PipeLimits())
  }

  /// The same with other limits.
  package init(address: String, command: [String], limits: PipeLimits) {
    self.init(address: address, limits: limits) { () throws(EventLogError) in
      do throws(Errno) { return try DescriptorChannel(starting: command) } catch {
        throw EventLogError(
          .remoteFailed,
          "\"\(address)\" could not be reached: \"\(command.first ?? "")\" could not be started:"
            + " \(error). Nothing was changed.",
          hint: error == .noSuchFile ? "Install it, or name another program." : nil, cause: error)
      }
    }
  }

  /// Begins an exchange with the other side.
  package func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    let session = PipeSession(try await open(), self)
    try await session.begin(visit)
    return session
  }
}
