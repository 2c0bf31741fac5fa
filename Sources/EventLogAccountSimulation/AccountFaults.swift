package import EventLog
package import EventLogAccounts

/// What a simulation of accounts is made to do wrong, to check that it is found out.
package struct AccountFaults: Sendable {
  /// Puts something between the accounts and each of their remotes.
  package var tamper: @Sendable (any ReachableRemote) -> any ReachableRemote = { $0 }
  /// Changes the lines of a state's report before they are judged.
  package var alter: @Sendable ([String]) -> [String] = { $0 }
  /// What becomes of a guest, whatever the person who signs in has said.
  package var choose: @Sendable (GuestChoice) -> GuestChoice = { $0 }
  /// Whether an undo reports what it would change, and changes nothing.
  package var forgetsUndos = false

  package init() {}
}
