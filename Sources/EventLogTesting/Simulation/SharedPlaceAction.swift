package import EventLog

/// One thing that happens at a place that devices share, complete in itself.
package enum SharedPlaceAction: Sendable {
  /// Replicates with a place that shows itself as such places do at times.
  case sync(device: Int, with: Place, Mishap)
  /// Replicates, and something is written behind one of the steps.
  case syncWhileWriting(device: Int, with: Place, [EventDraft], afterStep: Int)
  /// Two devices replicate with one place, step by step in turns.
  case syncAtOnce(device: Int, other: Int, with: Place)
  /// Ends in the middle of a replication, after so many calls of its disk, and is started again.
  case crash(device: Int, with: Place, afterCalls: Int)
  /// Some of what one device sees of the replicated folder comes to others.
  case deliver(seed: UInt64)

  /// A place that devices share.
  package enum Place: Sendable, Hashable, CaseIterable {
    case folder, cloud
    /// A folder of which each device has a copy; a program brings changes from one to the other.
    case replicatedFolder
  }

  /// What a place shows that is not so, or not yet.
  package enum Mishap: Sendable, Hashable {
    case none
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

extension SharedPlaceAction: CustomStringConvertible {
  package var description: String {
    func name(_ device: Int) -> String { SimulatedAction.deviceNames[device] }
    switch self {
    case .sync(let device, let place, let mishap):
      return "\(name(device)): syncs with \(place.text)\(mishap.text)"
    case .syncWhileWriting(let device, let place, let drafts, let step):
      let types = drafts.map(\.type).joined(separator: ", ")
      return "\(name(device)): syncs with \(place.text) and writes \(types) after step \(step)"
    case .syncAtOnce(let device, let other, let place):
      return "\(name(device)) and \(name(other)): sync with \(place.text) at once"
    case .crash(let device, let place, let count):
      return "\(name(device)): ends after \(count) calls while it syncs with \(place.text)"
    case .deliver(let seed): return "the folder's copies exchange something (\(seed))"
    }
  }
}

extension SharedPlaceAction.Place {
  fileprivate var text: String {
    switch self {
    case .folder: "the folder"
    case .cloud: "the cloud"
    case .replicatedFolder: "its copy of the folder"
    }
  }
}

extension SharedPlaceAction.Mishap {
  fileprivate var text: String {
    switch self {
    case .none: ""
    case .late: ", some of which is late"
    case .halved: ", half of some of which is there"
    case .vanishing: ", some of which vanishes"
    case .doubled: ", some of which is there twice"
    case .unreachable(let count): ", which is gone after \(count) calls"
    }
  }
}
