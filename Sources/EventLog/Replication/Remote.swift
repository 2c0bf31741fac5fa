/// A remote: a folder, another journal, another machine, or a cloud storage.
///
/// Don't conform your own types to this protocol. To add a kind of remote, implement
/// `ObjectStorage` of `EventLogRemotes` and pass it to `ObjectRemote`.
public protocol Remote: Sendable {
  /// The path or address of the remote, as shown to the user.
  var address: String { get }
}

/// A remote that can be reached.
///
/// All remotes conform to this protocol.
package protocol ReachableRemote: Remote {
  /// Begins a run: reaches the remote and finds out which events it has.
  ///
  /// The initiator reads its own journal at the same time.
  ///
  /// - Parameter request: The initiator and its intent.
  /// - Throws: The error that keeps the remote from being reached.
  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession
}

/// A remote at a path on this device, which reports its changes.
package protocol LocalRemote: ReachableRemote {
  /// Calls `onChange` after each change, until the observer is canceled.
  func observe(_ onChange: @escaping @Sendable () -> Void) -> FileObserver
}

extension Remote {
  /// The remote as a ``ReachableRemote``.
  package var reachable: any ReachableRemote {
    guard let remote = self as? any ReachableRemote else {
      preconditionFailure("\(Self.self) is not a remote of this package: use ObjectRemote.")
    }
    return remote
  }
}
