package import EventLog
package import EventLogAccounts

/// One thing that happens to the accounts of a device, complete in itself: leaving others out
/// leaves it meaningful, or makes it do nothing.
package enum AccountAction: Sendable {
  /// Whoever is current writes, all or none.
  case write(device: Int, [EventDraft])
  /// Settles the open conflicts.
  case settle(device: Int, ConflictPreference)
  case signIn(device: Int, Person, GuestChoice)
  case signOut(device: Int, Leaving)
  /// Undoes an adoption: a number into those of the current account.
  case undo(device: Int, Int)
  case choose(device: Int, ProviderChoice)
  /// Whoever is current syncs behind the app's back.
  case sync(device: Int)
  /// Syncs, and counts what is nowhere else.
  case prove(device: Int)
  /// Ends the app and starts it again.
  case reopen(device: Int)
  /// Ends in the middle of something, after so many calls of its disk, and is started again.
  case crash(device: Int, Work, afterCalls: Int)
  /// The list of accounts is lost.
  case loseList(device: Int)
  case setClock(device: Int, Timestamp)
  case pass(hours: Int)

  /// From now on, a provider is so.
  case provider(Int, SimulatedProvider.Condition)

  /// Copies a device as a further one; where that is there already, does nothing.
  case copy(device: Int, as: Int, toAnotherMachine: Bool)
  /// Keeps the device's disk as it is.
  case backUp(device: Int)
  /// Puts the disk back that was kept last.
  case restore(device: Int)

  /// Who signs in.
  package enum Person: Sendable, Hashable {
    case known(Int)
    /// An account that belongs to nobody yet.
    case anonymous(Int)

    package static let names = ["ada", "bea", "cem"]

    /// What the app knows the person by.
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

  /// In the middle of what a device ends.
  package enum Work: Sendable {
    /// A write is cut off after so many bytes.
    case write([EventDraft], byteCount: Int)
    case signIn(Person, GuestChoice)
    case signOut(Leaving)
    case undo(Int)
    case choose(ProviderChoice)
    case prove
    case reopen
  }

  package static let deviceNames = ["phone", "tablet", "laptop", "spare", "double"]
  /// How many devices there are from the beginning; the others are copies.
  package static let deviceCount = 3
}

extension AccountAction {
  /// Who acts; nil where it is nobody.
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
