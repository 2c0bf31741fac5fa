package import EventLog
package import EventLogAccounts

/// One action on the accounts of a device.
///
/// It stays valid, or does nothing, if other actions are removed.
package enum AccountAction: Sendable {
  /// The current user writes all events or none.
  case write(device: Int, [EventDraft])
  /// Resolves the open conflicts.
  case settle(device: Int, ConflictPreference)
  case signIn(device: Int, Person, GuestChoice)
  case signOut(device: Int, Leaving)
  /// Undoes an adoption, chosen by an index into the current account's adoptions.
  case undo(device: Int, Int)
  case choose(device: Int, ProviderChoice)
  /// Syncs the current account in the background.
  case sync(device: Int)
  /// Syncs, and counts the events that are only on this device.
  case prove(device: Int)
  /// Closes the accounts and opens them again.
  case reopen(device: Int)
  /// Crashes during some work, after a number of disk changes, and opens the accounts again.
  case crash(device: Int, Work, afterChanges: Int)
  /// Deletes `accounts.json`.
  case loseList(device: Int)
  case setClock(device: Int, Timestamp)
  case pass(hours: Int)

  /// Sets the condition of a provider.
  case provider(Int, SimulatedProvider.Condition)

  /// Copies a device as a new one, unless that exists.
  case copy(device: Int, as: Int, toAnotherMachine: Bool)
  /// Saves a copy of the device's disk.
  case backUp(device: Int)
  /// Replaces the disk by its last backup.
  case restore(device: Int)

  /// A user who signs in.
  package enum Person: Sendable, Hashable {
    case known(Int)
    /// An anonymous account.
    case anonymous(Int)

    package static let names = ["ada", "bea", "cem"]

    /// The user ID in the app.
    package var user: String {
      switch self {
      case .known(let number): Self.names[number]
      case .anonymous(let number): "anonymous-\(number)"
      }
    }

    package var isAnonymous: Bool {
      if case .anonymous = self { true } else { false }
    }
  }

  /// The work that a crash interrupts.
  package enum Work: Sendable {
    /// An append of which each write stops after a number of bytes.
    case write([EventDraft], byteCount: Int)
    case signIn(Person, GuestChoice)
    case signOut(Leaving)
    case undo(Int)
    case choose(ProviderChoice)
    case prove
    case reopen
  }

  package static let deviceNames = ["phone", "tablet", "laptop", "spare", "double"]
  /// The number of initial devices; the others are copies.
  package static let deviceCount = 3
}

extension AccountAction {
  /// The device that acts, or nil.
  var device: Int? {
    switch self {
    case .write(let device, _), .settle(let device, _), .signIn(let device, _, _),
      .signOut(let device, _), .undo(let device, _), .choose(let device, _), .sync(let device),
      .prove(let device), .reopen(let device), .crash(let device, _, _), .loseList(let device),
      .setClock(let device, _), .copy(let device, _, _), .backUp(let device),
      .restore(let device):
      device
    case .pass, .provider: nil
    }
  }
}
