public import EventLog

/// Whether a place can be used.
public enum Availability: Sendable {
  /// It can be used.
  case available
  /// It can't be used until the user acts, such as by signing in.
  case stopped(because: EventLogError)
  /// It can't be reached at the moment.
  case unreachable(because: EventLogError)
}

extension Availability {
  /// A sentence for the app's user, or `nil` for a place that is available.
  ///
  /// It contains neither addresses nor causes. To translate it, use the code of the error.
  public var sentence: String? {
    switch self {
    case .available: nil
    case .stopped(let reason): Self.sentence(reason.code) ?? "This place can't be used."
    case .unreachable(let reason):
      Self.sentence(reason.code) ?? "This place can't be reached at the moment."
    }
  }

  /// The error and its hint, for the app's developer, or `nil` for a place that is available.
  public var details: String? {
    switch self {
    case .available: nil
    case .stopped(let reason), .unreachable(let reason):
      [reason.message, reason.hint].compactMap(\.self).joined(separator: " ")
    }
  }

  private static func sentence(_ code: EventLogError.Code) -> String? {
    switch code {
    case .signInNeeded: "Sign in to this place to keep your data there."
    case .accessDenied: "You have no permission to keep your data in this place."
    case .quotaExceeded: "There is no room left in this place."
    case .untrustedServer: "The server of this place can't be trusted."
    case .wrongAddress, .otherUser: "This place belongs to somebody else, or isn't set up yet."
    default: nil
    }
  }
}
