/// The initiator of a run with a remote, and its intent.
package struct SyncRequest: Sendable {
  /// The user of the initiator's journal, or nil if it is empty and has no user yet.
  package var user: String?
  /// The initiator's device ID, or nil if it has written nothing.
  package var device: DeviceID?
  /// Whether nothing may be changed.
  ///
  /// ``RemoteSession/write(_:)`` then answers as if it were.
  package var isDryRun: Bool
  /// The findings of an earlier run at this remote that need no new check, in a format of the
  /// remote's own.
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
