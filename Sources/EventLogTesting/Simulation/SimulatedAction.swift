package import EventLog

/// One thing that happens in a simulation, complete in itself: leaving others out leaves it
/// meaningful, or makes it do nothing.
package enum SimulatedAction: Sendable {
  /// Appends events, all or none; what the state at hand does not allow does nothing.
  case append(device: Int, [EventDraft], Durability)
  /// Keeps the state at hand, as a form that is open does.
  case look(device: Int)
  /// Appends as of the state that was looked at.
  case appendAsOf(device: Int, [EventDraft])
  /// Appends through a second store on the same journal, which stays open beside the first.
  case appendBeside(device: Int, [EventDraft])
  /// Settles an open conflict; it is a number into those that are open then.
  case settle(device: Int, conflict: Int, Choice)
  /// Sets a clock wrong.
  case setClock(device: Int, Timestamp)
  /// Ends the app and starts it again.
  case reopen(device: Int)
  /// Reads the journal in each way that there is.
  case inspect(device: Int)

  /// Replicates.
  case sync(device: Int, with: Peer, ReplicationPlan.Directions, Mishap)
  /// Two devices replicate at once, step by step in turns.
  case syncAtOnce(device: Int, with: Peer, other: Int, and: Peer)
  /// Replicates with a device that does not keep to what it should.
  case syncWithBadPeer(device: Int, other: Int, BadPeer)
  /// Some of what one device sees of the replicated folder comes to others.
  case deliver(seed: UInt64)

  /// Copies a device as a further one, which goes on by itself; where that is there already, does
  /// nothing.
  case copy(device: Int, as: Int, DeviceCopying)
  /// Keeps the device's files as they are.
  case backUp(device: Int)
  /// Puts the files back that were kept last, while the app runs or while it does not.
  case restore(device: Int, DeviceRestoring, isOpen: Bool)
  /// Cuts the last lines off the journal, in place.
  case cutOff(device: Int, lineCount: Int)
  /// Puts the lines of the journal into another order.
  case reorder(device: Int, seed: UInt64)
  /// Damages the journal, while the app runs or while it does not.
  case damage(device: Int, Damage, isOpen: Bool)
  /// Ends in the middle of something, after so many changes of its disk, and is started again.
  case crash(device: Int, Work, afterChanges: Int)
  /// Acknowledges that what is missing is lost.
  case acceptLoss(device: Int)

  /// What the devices are called.
  package static let deviceNames = [
    "phone", "tablet", "laptop", "desktop", "watch", "browser", "spare", "double", "third",
  ]

  /// By what a conflict is settled.
  package enum Choice: Sendable, Hashable {
    /// A number into the candidates that there are then.
    case candidate(Int)
    /// A value that fits the field.
    case value(seed: UInt64)
  }

  /// With whom a device replicates.
  package enum Peer: Sendable, Hashable {
    case device(Int)
    case folder
    /// A place for objects, which lists them page by page.
    case cloud
    /// A folder of which each device has a copy; a program brings changes from one to the other.
    case replicatedFolder

    /// The places that devices share.
    static let places: [Peer] = [.folder, .cloud, .replicatedFolder]
  }

  /// What damages a journal. Lines are numbers into those that there are then.
  package enum Damage: Sendable, Hashable {
    /// One bit is another one; the byte is told in thousandths of the line and its LF.
    case flippedBit(line: Int, byte: Int, bit: Int)
    case linesCutOut(line: Int, count: Int)
    /// Bytes from the middle of a line on are zero.
    case zeroedBytes(line: Int, count: Int)
  }

  /// In the middle of what a device ends.
  package enum Work: Sendable {
    case sync(Peer)
    /// A write is cut off after so many bytes.
    case append([EventDraft], byteCount: Int)
  }

  /// What is done, or goes wrong, while two replicate.
  package enum Mishap: Sendable {
    case none
    /// It ends after so many steps.
    case abandoned(after: Int)
    /// The device writes behind one of the steps.
    case writing([EventDraft], afterStep: Int)
    /// Lines between journals go wrong.
    case lines(LineMishap)
    /// What a place shows is not so, or not yet.
    case objects(ObjectMishap)
  }

  /// What goes wrong with lines on their way.
  package enum LineMishap: Sendable, Hashable {
    /// Every batch comes twice.
    case doubled
    /// Lines come in another order.
    case reordered(seed: UInt64)
    /// Only so many thousandths of the first batch come.
    case truncated(Int)
  }

  /// What a place for objects shows that is not so, or not yet.
  package enum ObjectMishap: Sendable, Hashable {
    /// Some objects are not there yet.
    case late(seed: UInt64)
    /// Of some there is half.
    case halved(seed: UInt64)
    /// Some are listed and gone when they are read.
    case vanishing(seed: UInt64)
    /// Some are there twice, under an additional name.
    case doubled(seed: UInt64)
    /// It cannot be reached any more after so many calls.
    case unreachable(afterCalls: Int)
  }
}

extension SimulatedAction {
  /// Who acts.
  var devices: [Int] {
    switch self {
    case .append(let device, _, _), .look(let device), .appendAsOf(let device, _),
      .appendBeside(let device, _), .settle(let device, _, _), .setClock(let device, _),
      .reopen(let device), .inspect(let device), .sync(let device, _, _, _),
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
