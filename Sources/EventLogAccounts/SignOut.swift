/// The result of signing out.
public struct SignOut: Sendable, Hashable {
  /// A Boolean value that indicates whether the journal was removed from this device.
  public let isRemoved: Bool
  /// The number of removed events that may not be anywhere else.
  public let lost: Int
}

/// A choice of what happens to an account's journal at sign-out.
public enum Leaving: String, Sendable, Hashable, CaseIterable {
  /// The journal stays on this device.
  case keep
  /// The journal is removed if a sync made now proves that all its events are in another place.
  ///
  /// The sync reads every object of the place, because objects that were intact at an earlier sync
  /// may be damaged by now.
  case removeIfElsewhere
  /// The journal is removed, unless another process keeps writing to it.
  ///
  /// Counting the events that no place has takes at most half a minute.
  case remove
}
