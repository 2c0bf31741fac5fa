import Testing

extension Tag {
  /// Suites with failing servers. `.ci/run` runs them last, one test at a time.
  @Tag static var faults: Self
}
