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
  /// Settles an open conflict; it is a number into those that are open then.
  case settle(device: Int, conflict: Int, Choice)
  /// Replicates.
  case sync(device: Int, with: Peer, ReplicationPlan.Directions, Mishap)
  /// Sets a clock wrong.
  case setClock(device: Int, Timestamp)
  /// Ends the app and starts it again.
  case reopen(device: Int)
  /// Appends through a second store on the same journal, which stays open beside the first.
  case appendBeside(device: Int, [EventDraft])
  /// Copies a device as a further one, which goes on by itself; where that is there already, does
  /// nothing.
  case copy(device: Int, as: Int, DeviceCopying)
  /// Keeps the device's files as they are.
  case backUp(device: Int)
  /// Puts the files back that were kept last, while the app runs or while it does not.
  case restore(device: Int, DeviceRestoring, isOpen: Bool)
  /// Cuts the last lines off the journal, in place.
  case cutOff(device: Int, lineCount: Int)

  /// Damages a line of the journal: a number into those that there are then.
  case damage(device: Int, line: Int, LineDamage)
  /// Repairs the journal from another copy, or without one, while the app runs or while it does
  /// not.
  case repair(device: Int, Cure, isOpen: Bool)
  /// Replicates with a device that does not keep to what it should.
  case meetBadPeer(device: Int, other: Int, BadPeer)

  /// Something happens at a place that devices share.
  case atSharedPlace(SharedPlaceAction)

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
  }

  /// With what a journal is repaired.
  package enum Cure: Sendable, Hashable {
    case from(Peer)
    /// What needs no other copy.
    case alone
    /// What nobody can give back is given up.
    case givingUp
  }

  /// What the devices are called.
  package static let deviceNames = [
    "phone", "tablet", "laptop", "desktop", "watch", "browser", "spare", "double",
  ]

  /// What goes wrong with a replication.
  package enum Mishap: Sendable, Hashable {
    case none
    /// It ends after so many steps.
    case abandoned(after: Int)
    /// Every batch comes twice.
    case doubled
    /// Lines come in another order.
    case reordered(seed: UInt64)
    /// Only so many thousandths of the first batch come.
    case truncated(Int)
  }
}

extension SimulatedAction: CustomStringConvertible {
  package var description: String {
    func name(_ device: Int) -> String { Self.deviceNames[device] }
    func place(_ peer: Peer) -> String {
      switch peer {
      case .device(let other): name(other)
      case .folder: "the folder"
      case .cloud: "the cloud"
      }
    }
    func text(_ drafts: [EventDraft]) -> String {
      drafts.map { draft in
        var bytes: [UInt8] = []
        draft.data.write(to: &bytes)
        return
          ([draft.type] + (draft.entity.map { [$0.description] } ?? [])
          + [String(decoding: bytes, as: UTF8.self)]).joined(separator: " ")
      }.joined(separator: "; ")
    }
    switch self {
    case .append(let device, let drafts, let durability):
      return "\(name(device)): \(text(drafts))" + (durability == .buffered ? ", buffered" : "")
    case .look(let device): return "\(name(device)): looks at the state"
    case .appendAsOf(let device, let drafts):
      return "\(name(device)), as of what it looked at: \(text(drafts))"
    case .settle(let device, let conflict, .candidate(let candidate)):
      return "\(name(device)): settles open conflict \(conflict) by its candidate \(candidate)"
    case .settle(let device, let conflict, .value):
      return "\(name(device)): settles open conflict \(conflict) by a value that fits"
    case .sync(let device, let peer, let directions, let mishap):
      let ways = directions == .both ? "" : directions == .pull ? ", only takes" : ", only gives"
      return "\(name(device)): syncs with \(place(peer))\(ways)\(mishap.text)"
    case .setClock(let device, let time): return "\(name(device)): its clock says \(time)"
    case .reopen(let device): return "\(name(device)): is started again"
    case .atSharedPlace(let action): return action.description
    case .appendBeside(let device, let drafts):
      return "\(name(device)), in a second process: \(text(drafts))"
    case .copy(let device, let number, let copying):
      return "\(name(device)): is copied as \(name(number)), \(copying.text)"
    case .backUp(let device): return "\(name(device)): is backed up"
    case .restore(let device, let restoring, let isOpen):
      return "\(name(device)): its backup is put back, \(restoring.text)"
        + (isOpen ? ", while it runs" : "")
    case .cutOff(let device, let lineCount):
      return "\(name(device)): its last \(lineCount) lines are cut off"
    case .damage(let device, let line, let damage):
      return "\(name(device)): line \(line) \(damage == .changed ? "changes" : "is cut out")"
    case .repair(let device, let cure, let isOpen):
      let how =
        switch cure {
        case .from(let peer): " from \(place(peer))"
        case .alone: ""
        case .givingUp: ", giving up what is gone"
        }
      return "\(name(device)): is repaired\(how)" + (isOpen ? ", while it runs" : "")
    case .meetBadPeer(let device, let other, let peer):
      return "\(name(device)): meets who says to be \(name(other)) and \(peer.text)"
    }
  }
}

extension SimulatedAction.Mishap {
  fileprivate var text: String {
    switch self {
    case .none: ""
    case .abandoned(let steps): ", ends after \(steps) steps"
    case .doubled: ", everything comes twice"
    case .reordered: ", lines come in another order"
    case .truncated(let part): ", \(part)/1000 of a batch come"
    }
  }
}

extension DeviceCopying {
  fileprivate var text: String {
    switch self {
    case .journalAlone: "the journal alone"
    case .withSideFolder: "with its side folder"
    case .toAnotherMachine: "to another machine"
    case .wholeMachine: "the whole machine"
    }
  }
}

extension DeviceRestoring {
  fileprivate var text: String {
    switch self {
    case .journalReplaced: "the journal as a new file"
    case .allReplaced: "as new files"
    case .journalRolledBack: "the journal in the same file"
    case .allRolledBack: "in the same files"
    }
  }
}
