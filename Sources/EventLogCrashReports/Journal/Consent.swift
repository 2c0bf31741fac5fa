/// Whether the person has agreed that a recipient gets crash reports.
public enum Consent: String, Sendable, Hashable, CaseIterable {
  /// The person wasn't asked yet, so nothing is uploaded.
  case undecided
  /// The person has agreed.
  case given
  /// The person has refused, so nothing is uploaded.
  case refused
}
