/// The severity of a report.
public enum Severity: String, Sendable, Hashable, CaseIterable {
  /// The process ended.
  case fatal
  /// Something failed that a person has noticed.
  case error
  /// Something failed and was made up for.
  case warning

  /// The number in a raw file.
  var code: UInt8 {
    switch self {
    case .fatal: 1
    case .error: 2
    case .warning: 3
    }
  }

  init?(code: UInt8) {
    guard let severity = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = severity
  }
}
