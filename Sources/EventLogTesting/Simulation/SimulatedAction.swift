package import EventLog

/// A self-contained step of a simulation: if others are left out, it is still valid or does
/// nothing.
package enum SimulatedAction: Sendable {
  /// Appends all events, or does nothing if the current state doesn't allow them.
  case append(device: Int, [EventDraft], Durability)
  /// Keeps the current state, like an open form.
  case look(device: Int)
  /// Appends as of the state that `look` kept.
  case appendAsOf(device: Int, [EventDraft])
  /// Appends through a second store on the same journal, which stays open.
  case appendBeside(device: Int, [EventDraft])
  /// Resolves an open conflict: an index modulo the number of open conflicts.
  case settle(device: Int, conflict: Int, Choice)
  /// Erases a random entity, past values or an event.
  case erase(device: Int, seed: UInt64)
  /// Sets a device's clock to a wrong time.
  case setClock(device: Int, Timestamp)
  /// Closes the app and starts it again.
  case reopen(device: Int)
  /// Restarts the app as its next version, if there is one.
  case update(device: Int)
  /// Reads the journal in every way.
  case inspect(device: Int)

  /// Syncs with a peer.
  case sync(device: Int, with: Peer, ReplicationPlan.Directions, Mishap)
  /// Syncs two devices at once, one step each in turn.
  case syncAtOnce(device: Int, with: Peer, other: Int, and: Peer)
  /// Syncs with a device that violates the protocol.
  case syncWithBadPeer(device: Int, other: Int, BadPeer)
  /// Delivers some changes between the copies of the replicated folder.
  case deliver(seed: UInt64)

  /// Copies a device as an independent one, unless the new number is taken.
  case copy(device: Int, as: Int, DeviceCopying)
  /// Backs up the device's files.
  case backUp(device: Int)
  /// Restores the last backup, while the app is open or closed.
  case restore(device: Int, DeviceRestoring, isOpen: Bool)
  /// Removes the last lines of the journal, in place.
  case cutOff(device: Int, lineCount: Int)
  /// Shuffles the lines of the journal.
  case reorder(device: Int, seed: UInt64)
  /// Damages the journal, while the app is open or closed.
  case damage(device: Int, Damage, isOpen: Bool)
  /// Interrupts work after a number of changes to the device's disk and restarts the app.
  case crash(device: Int, Work, afterChanges: Int)
  /// Acknowledges missing events as lost.
  case acceptLoss(device: Int)

  /// The names of the devices, by number.
  package static let deviceNames = [
    "phone", "tablet", "laptop", "desktop", "watch", "browser", "spare", "double", "third",
  ]

  /// The resolution of a conflict.
  package enum Choice: Sendable, Hashable {
    /// An index modulo the number of candidates.
    case candidate(Int)
    /// A random value that the field accepts.
    case value(seed: UInt64)
  }

  /// The other side of a sync.
  package enum Peer: Sendable, Hashable {
    case device(Int)
    case folder
    /// An object storage with paged listings.
    case cloud
    /// A folder with a copy on each device; `deliver` transfers changes between the copies.
    case replicatedFolder

    /// The remotes that all devices share.
    static let shared: [Peer] = [.folder, .cloud, .replicatedFolder]
  }

  /// Damage to a journal, with lines as indices modulo their number.
  package enum Damage: Sendable, Hashable {
    /// Flips one bit; the byte is given in thousandths of the line, including its LF.
    case flippedBit(line: Int, byte: Int, bit: Int)
    case linesCutOut(line: Int, count: Int)
    /// Sets bytes to zero, starting in the middle of a line.
    case zeroedBytes(line: Int, count: Int)
  }

  /// Work that a crash interrupts.
  package enum Work: Sendable {
    case sync(Peer)
    /// An append whose writes are cut off after a number of bytes.
    case append([EventDraft], byteCount: Int)
    case erase(seed: UInt64)
  }

  /// A disturbance of a sync, or an append during it.
  package enum Mishap: Sendable {
    case none
    /// The sync is abandoned after a number of steps.
    case abandoned(after: Int)
    /// The device appends events after one of the steps.
    case writing([EventDraft], afterStep: Int)
    /// Lines between journals are disturbed.
    case lines(LineMishap)
    /// A shared remote shows wrong or outdated objects.
    case objects(ObjectMishap)
  }

  /// A disturbance of lines in transit.
  package enum LineMishap: Sendable, Hashable {
    /// Each batch arrives twice.
    case doubled
    /// The lines of each batch arrive in a different order.
    case reordered(seed: UInt64)
    /// Only a part of each batch arrives, in thousandths.
    case truncated(Int)
  }

  /// A wrong or outdated view of an object storage.
  package enum ObjectMishap: Sendable, Hashable {
    /// Some objects aren't visible yet.
    case late(seed: UInt64)
    /// Some objects are cut in half.
    case halved(seed: UInt64)
    /// Some objects are listed, but can't be read.
    case vanishing(seed: UInt64)
    /// Some objects exist twice, under an additional name.
    case doubled(seed: UInt64)
    /// The storage is unreachable after a number of calls.
    case unreachable(afterCalls: Int)
  }
}

extension SimulatedAction {
  /// The devices that act.
  var devices: [Int] {
    switch self {
    case .append(let device, _, _), .look(let device), .appendAsOf(let device, _),
      .appendBeside(let device, _), .settle(let device, _, _), .erase(let device, _),
      .setClock(let device, _),
      .reopen(let device), .update(let device), .inspect(let device), .sync(let device, _, _, _),
      .copy(let device, _, _), .backUp(let device), .restore(let device, _, _),
      .cutOff(let device, _), .reorder(let device, _), .damage(let device, _, _),
      .crash(let device, _, _), .acceptLoss(let device):
      [device]
    case .syncAtOnce(let device, _, let other, _), .syncWithBadPeer(let device, let other, _):
      [device, other]
    case .deliver: []
    }
  }
}
