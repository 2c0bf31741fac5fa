import Testing

extension Tag {
  /// Servers fail. `.ci/run` runs these suites last, one test at a time.
  @Tag static var faults: Self
}
