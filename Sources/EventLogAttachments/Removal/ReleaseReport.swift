public import EventLog

/// The attachments that nothing names any more, and what was done with their contents.
public struct ReleaseReport: Sendable {
  /// The SHA-256 of each content that is released by this call: nothing names it any more.
  ///
  /// Each other device has to see that before the content is removed.
  public internal(set) var released: [String] = []
  /// The SHA-256 of each content that was removed from this device, or would be.
  public internal(set) var removed: [String] = []
  /// The size of the contents in ``removed``, in bytes.
  public internal(set) var removedBytes: Int64 = 0
  /// The contents that stay for now, by their SHA-256, with the devices that haven't written
  /// anything since they have seen the release.
  ///
  /// A device that has written nothing for a year doesn't count.
  public internal(set) var waiting: [String: [String]] = [:]
  /// The contents that were attached or fetched within the last day. They stay until then.
  public internal(set) var recent: [String] = []
  /// The result at each place, in the order of the remotes.
  public internal(set) var places: [Place] = []
  /// Errors about single files here. The others were removed.
  public internal(set) var problems: [EventLogError] = []

  /// The result at one place.
  public struct Place: Sendable {
    /// The address of the remote.
    public let remote: String
    /// The SHA-256 of each content that was removed there, or would be.
    public internal(set) var removed: [String] = []
    /// The error that ended the call early, or `nil`. Earlier removals are done.
    public internal(set) var error: EventLogError?

    init(_ remote: String) { self.remote = remote }
  }
}
