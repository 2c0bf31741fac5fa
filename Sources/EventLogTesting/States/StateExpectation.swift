// The functions for tests. They use plain values and errors, so that they work with any test
// framework, and failures are reported at the test's own line.

public import EventLog

/// Returns the differences between a state and the expected one.
///
/// ```swift
/// #expect(try differences(of: phone, from: .json(#"{"foods":[]}"#)) == [])
/// XCTAssertEqual(try differences(of: phone, from: .file(url)), [])
/// ```
///
/// Numbers are compared by value, and sets regardless of their order. The expected state of a
/// ``RecordedJournal`` must have the sections of all its collections: otherwise, a version of your
/// app that reads nothing would pass.
///
/// - Parameters:
///   - source: The source of the state.
///   - expected: The expected state.
/// - Returns: The differences. Empty if the states are equal.
/// - Throws: `invalidInput` if the expected state is invalid or contains an unknown section; errors
///   that occur while the states are read.
/// - Complexity: O(*n* log *n*), where *n* is the size of the states.
public func differences(
  of source: some StateSource, from expected: ExpectedState
) throws(EventLogError) -> [StateDifference] {
  let state = try source.currentState()
  let expected = try expected.read(state.catalog)
  let found = try StateTable(state, state.catalog, sections: expected.table.sections)
  let lacking =
    source is RecordedJournal
    ? state.catalog.collections.map(\.section).filter { !expected.table.sections.contains($0) } : []
  return lacking.map { section in
    StateDifference(
      kind: .section, entity: section, field: nil, expected: nil, found: nil, expectedOrigin: nil,
      foundOrigin: nil)
  }
    + StateComparison(
      expected: expected.table, found: found, expectedState: expected.state, foundState: state
    ).differences
}

/// Returns the differences between two states that should be equal.
///
/// ```swift
/// try await phone.sync(with: tablet)
/// #expect(try differences(between: phone, and: tablet) == [])
/// ```
///
/// - Parameters:
///   - left: The source of the expected state.
///   - right: The source of the state to compare with it.
/// - Returns: The differences. Empty if the states are equal.
/// - Throws: Errors that occur while the states are read.
public func differences(
  between left: some StateSource & Sendable, and right: some StateSource
) throws(EventLogError) -> [StateDifference] {
  try differences(of: right, from: .state(of: left))
}

/// Throws an error if a state differs from the expected one.
///
/// - Parameters:
///   - source: The source of the state.
///   - expected: The expected state.
/// - Throws: A ``StateMismatch`` with the differences; and the errors of ``differences(of:from:)``.
public func expectState(
  of source: some StateSource, matches expected: ExpectedState
) throws {
  let differences = try differences(of: source, from: expected)
  if !differences.isEmpty { throw StateMismatch(differences: differences) }
}

/// An error that reports how a state differs from the expected one.
public struct StateMismatch: Error, Sendable, CustomStringConvertible {
  /// The differences.
  ///
  /// There is at least one.
  public let differences: [StateDifference]

  /// The differences, one on each line.
  public var description: String {
    let count = differences.count == 1 ? "1 difference" : "\(differences.count) differences"
    return "The state differs from the expected one: \(count).\n"
      + differences.map(\.description).joined(separator: "\n")
  }
}
