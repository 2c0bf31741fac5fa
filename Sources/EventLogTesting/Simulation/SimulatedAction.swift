package import EventLog

/// One thing that happens in a simulation, complete in itself: leaving others out leaves it
/// meaningful, or makes it do nothing.
package enum SimulatedAction: Sendable {
  /// Appends events, all or none; what the state at hand does not allow does nothing.
  case append(device: Int, [EventDraft])
  /// Keeps the state at hand, as a form that is open does.
  case look(device: Int)
  /// Appends as of the state that was looked at.
  case appendAsOf(device: Int, [EventDraft])
  /// Settles an open conflict, a number into those that are there then.
  case settle(device: Int, conflict: Int, by: Choice)
  /// Replicates.
  case sync(device: Int, with: Peer, ReplicationPlan.Directions, Mishap)
  /// Sets a clock wrong.
  case setClock(device: Int, Timestamp)
  /// Ends the app and starts it again.
  case reopen(device: Int)
  /// Appends through a second store on the same journal.
  case appendBeside(device: Int, [EventDraft])

  /// How a conflict is settled.
  package enum Choice: Sendable {
    /// By a candidate, a number into those that are there then.
    case candidate(Int)
    /// By the first of these values that the field takes.
    case value([JSONValue])
  }

  /// With whom a device replicates.
  package enum Peer: Sendable, Hashable {
    case device(Int)
    case folder
  }

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
    func name(_ device: Int) -> String { "device\(device)" }
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
    case .append(let device, let drafts): return "\(name(device)): \(text(drafts))"
    case .look(let device): return "\(name(device)): looks at the state"
    case .appendAsOf(let device, let drafts):
      return "\(name(device)), as of what it looked at: \(text(drafts))"
    case .settle(let device, let conflict, .candidate(let candidate)):
      return "\(name(device)): settles conflict \(conflict) by candidate \(candidate)"
    case .settle(let device, let conflict, .value(let values)):
      return "\(name(device)): settles conflict \(conflict) by the first that it takes of "
        + JSONValue.array(values).text
    case .sync(let device, let peer, let directions, let mishap):
      let whom = if case .device(let other) = peer { name(other) } else { "the folder" }
      let ways = directions == .both ? "" : directions == .pull ? ", only takes" : ", only gives"
      return "\(name(device)): syncs with \(whom)\(ways)\(mishap.text)"
    case .setClock(let device, let time): return "\(name(device)): its clock says \(time)"
    case .reopen(let device): return "\(name(device)): is started again"
    case .appendBeside(let device, let drafts):
      return "\(name(device)), in a second process: \(text(drafts))"
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
