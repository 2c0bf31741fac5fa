// What a test calls. Plain values and errors, so that any test framework can be used, and so that
// a failure is reported where the test asks.

public import EventLog

/// Returns how a state differs from the one expected; nothing if it does not.
///
/// ```swift
/// #expect(try differences(of: phone, from: .json(#"{"foods":[]}"#)) == [])
/// XCTAssertEqual(try differences(of: phone, from: .file(url)), [])
/// ```
///
/// Values are equal as everywhere: numbers by their value, sets whatever their order.
///
/// - Throws: `invalidInput` for what is no state, or one with a section that no collection has;
///   what reading the states throws.
/// - Complexity: O(n log n) in the states.
public func differences(
  of source: some StateSource, from expected: ExpectedState
) throws(EventLogError) -> [StateDifference] {
  let state = try source.currentState()
  let expected = try expected.read(state.catalog)
  let found = try StateTable(state, state.catalog, sections: expected.table.sections)
  return StateComparison(
    expected: expected.table, found: found, expectedState: expected.state, foundState: state
  ).differences
}

/// Returns how the state of `right` differs from that of `left`, for two that should agree; nothing
/// if they do.
///
/// ```swift
/// try await phone.sync(with: tablet)
/// #expect(try differences(between: phone, and: tablet) == [])
/// ```
///
/// - Throws: what reading the states throws.
public func differences(
  between left: some StateSource & Sendable, and right: some StateSource
) throws(EventLogError) -> [StateDifference] {
  try differences(of: right, from: .state(of: left))
}

/// Throws if a state is not the one expected, with an error that says how it differs.
///
/// - Throws: ``StateMismatch``; else as ``differences(of:from:)``.
public func expectState(
  of source: some StateSource, matches expected: ExpectedState
) throws {
  let differences = try differences(of: source, from: expected)
  if !differences.isEmpty { throw StateMismatch(differences: differences) }
}

/// A state is not the one that was expected.
public struct StateMismatch: Error, Sendable, CustomStringConvertible {
  /// How it differs; at least one.
  public let differences: [StateDifference]

  /// Every difference, a line each.
  public var description: String {
    let count = differences.count == 1 ? "1 difference" : "\(differences.count) differences"
    return "The state is not the one expected: \(count).\n"
      + differences.map(\.description).joined(separator: "\n")
  }
}
