/// A recipient of crash reports that leave the device. The person decides for each of them.
public enum CrashRecipient: String, Sendable, Hashable, CaseIterable {
  /// The person: a place of their own, with which the reports are synced.
  case person
  /// The developer: a storage into which reports are put.
  case developer
}
