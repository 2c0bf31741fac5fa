public import EventLog

/// A journal at the other end of a pipe, which `eventlog serve` provides.
///
/// The other end is a program on this machine, or on another one that you reach with `ssh`.
/// Encryption and access control are up to the pipe. `Docs/Internals/Protocol.md` describes the
/// protocol.
public struct PipeRemote: ReachableRemote {
  /// The address under which the remote is remembered.
  public let address: String
  let limits: PipeLimits
  /// Returns the number of milliseconds since a fixed moment.
  var now: @Sendable () -> Int64 = monotonicMilliseconds
  let open: @Sendable () async throws(EventLogError) -> any ByteChannel

  /// Creates a remote for a journal over a channel of any kind.
  ///
  /// - Parameters:
  ///   - address: The address, as shown to the user.
  ///   - limits: The limits of the protocol.
  ///   - open: Opens a channel for one run. The run closes it.
  package init(
    address: String, limits: PipeLimits = PipeLimits(),
    open: @escaping @Sendable () async throws(EventLogError) -> any ByteChannel
  ) {
    self.address = address
    self.limits = limits
    self.open = open
  }

  /// Creates a remote for a journal that a program provides through its standard input and output.
  ///
  /// Each run starts the program with the environment of this process. If the program doesn't exit
  /// at the end of the run, it is killed.
  ///
  /// - Parameters:
  ///   - address: The address, as shown to the user.
  ///   - command: The program and its arguments. The program is found like in a shell.
  public init(address: String, command: [String]) {
    self.init(address: address, command: command, limits: PipeLimits())
  }

  /// Creates a remote for a program, with other limits.
  package init(address: String, command: [String], limits: PipeLimits) {
    self.init(address: address, limits: limits) { () throws(EventLogError) in
      do throws(Errno) { return try DescriptorChannel(starting: command) } catch {
        throw EventLogError(
          .remoteFailed,
          "\"\(address)\" could not be reached: \"\(command.first ?? "")\" could not be started:"
            + " \(error). Nothing was changed.",
          hint: error == .noSuchFile ? "Install it, or specify another program." : nil, cause: error
        )
      }
    }
  }

  /// Begins a run with the other side.
  package func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    let session = PipeSession(try await open(), self)
    try await session.begin(request)
    return session
  }
}
