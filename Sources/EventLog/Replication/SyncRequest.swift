/// The initiator of a run with a remote, and its intent.
package struct SyncRequest: Sendable {
  /// The user of the initiator's journal, or nil if it is empty and has no user yet.
  package var user: String?
  /// The initiator's device ID, or nil if it has written nothing.
  package var device: DeviceID?
  /// Whether to change nothing.
  ///
  /// ``RemoteSession/write(_:)`` then returns the result that a real run would have.
  package var isDryRun: Bool
  /// Findings of an earlier run at this remote that needn't be checked again, in the remote's own
  /// format.
  ///
  /// It is a cache, and may be empty at any time.
  package var known: Set<String>
  /// The common lines at the beginning of the initiator's journal and this one.
  package var prefix: CommonPrefix<LedgerSink>?
  /// The initiator's side folder, whose checkpoint may also fit the beginning of this journal, or
  /// nil if it isn't used.
  var side: SideFolder?

  /// Creates a request by a journal that contains the events of `user`.
  package init(
    user: String? = nil, device: DeviceID? = nil, isDryRun: Bool = false,
    known: Set<String> = []
  ) {
    self.user = user
    self.device = device
    self.isDryRun = isDryRun
    self.known = known
  }
}
