import Testing

/// Tags of the most expensive suites.
///
/// `.ci/run` runs them last, one test at a time, and prints their processor times. It finds them by
/// these tags in `@Suite`.
extension Tag {
  /// Random cases, or all cases of a kind.
  @Tag static var random: Self
  /// Each call fails in turn, servers fail, or files are cut at each byte.
  @Tag static var faults: Self
}
