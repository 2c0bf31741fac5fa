package import EventLog
package import EventLogAccounts

/// Deliberate faults of a simulation of accounts, to check that they are detected.
package struct AccountFaults: Sendable {
  /// Wraps each remote of the accounts.
  package var tamper: @Sendable (any ReachableRemote) -> any ReachableRemote = { $0 }
  /// Changes the lines of a state's report before they are checked.
  package var alter: @Sendable ([String]) -> [String] = { $0 }
  /// Replaces the user's choice about a guest at sign-in.
  package var choose: @Sendable (GuestChoice) -> GuestChoice = { $0 }
  /// Whether an undo reports its changes without making them.
  package var forgetsUndos = false

  package init() {}
}
