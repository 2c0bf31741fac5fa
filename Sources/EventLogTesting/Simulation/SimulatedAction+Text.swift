import EventLog

extension SimulatedAction: CustomStringConvertible {
  package var description: String {
    let who = devices.map { Self.deviceNames[$0] }.joined(separator: " and ")
    switch self {
    case .append(_, let drafts, let durability):
      return "\(who): \(drafts.text)" + (durability == .buffered ? ", buffered" : "")
    case .look: return "\(who): reads the state"
    case .appendAsOf(_, let drafts):
      return "\(who), based on the state that it read: \(drafts.text)"
    case .appendBeside(_, let drafts): return "\(who), in a second process: \(drafts.text)"
    case .settle(_, let conflict, .candidate(let candidate)):
      return "\(who): resolves open conflict \(conflict) with its candidate \(candidate)"
    case .settle(_, let conflict, .value):
      return "\(who): resolves open conflict \(conflict) with a valid value"
    case .erase(_, let seed): return "\(who): erases something (\(seed))"
    case .setClock(_, let time): return "\(who): its clock is set to \(time)"
    case .reopen: return "\(who): restarts"
    case .update: return "\(who): updates the app"
    case .inspect: return "\(who): is read in every way"
    case .sync(_, let peer, let directions, let mishap):
      let ways = directions == .both ? "" : directions == .pull ? ", only pulls" : ", only pushes"
      return "\(who): syncs with \(peer.text)\(ways)\(mishap.text)"
    case .syncAtOnce(_, let peer, _, let another):
      return "\(who): sync at the same time, with \(peer.text) and \(another.text)"
    case .syncWithBadPeer(let device, let other, let peer):
      let (own, its) = (Self.deviceNames[device], Self.deviceNames[other])
      return "\(own): syncs with \(its), which \(peer.text)"
    case .deliver(let seed): return "the folder's copies exchange files (\(seed))"
    case .copy(_, let number, let copying):
      return "\(who): is copied as \(Self.deviceNames[number]), \(copying.text)"
    case .backUp: return "\(who): is backed up"
    case .restore(_, let restoring, let isOpen):
      return "\(who): its backup is restored, \(restoring.text)" + Self.text(isOpen: isOpen)
    case .cutOff(_, let lineCount): return "\(who): its last \(lineCount) lines are cut off"
    case .reorder: return "\(who): its lines are reordered"
    case .damage(_, let damage, let isOpen):
      return "\(who): \(damage.text)" + Self.text(isOpen: isOpen)
    case .crash(_, .sync(let peer), let count):
      return "\(who): crashes after \(count) changes while it syncs with \(peer.text)"
    case .crash(_, .append(let drafts, let byteCount), let count):
      return "\(who): crashes after \(count) changes and \(byteCount) bytes of \(drafts.text)"
    case .crash(_, .erase(let seed), let count):
      return "\(who): crashes after \(count) changes while it erases something (\(seed))"
    case .acceptLoss: return "\(who): accepts its losses"
    }
  }

  private static func text(isOpen: Bool) -> String { isOpen ? ", while it runs" : "" }
}

extension SimulatedAction.Peer {
  var text: String {
    switch self {
    case .device(let other): SimulatedAction.deviceNames[other]
    case .folder: "the folder"
    case .cloud: "the cloud"
    case .replicatedFolder: "its copy of the folder"
    }
  }
}

extension SimulatedAction.Damage {
  fileprivate var text: String {
    switch self {
    case .flippedBit(let line, let byte, let bit):
      "bit \(bit) at \(byte)/1000 of line \(line) flips"
    case .linesCutOut(let line, let count): "\(count) lines from line \(line) on are removed"
    case .zeroedBytes(let line, let count): "\(count) bytes from within line \(line) on become zero"
    }
  }
}

extension SimulatedAction.Mishap {
  fileprivate var text: String {
    switch self {
    case .none: ""
    case .abandoned(let steps): ", stops after \(steps) steps"
    case .writing(let drafts, let step):
      " and after step \(step) writes \(drafts.text)"
    case .lines(.doubled): ", everything arrives twice"
    case .lines(.reordered): ", lines arrive in a different order"
    case .lines(.truncated(let part)): ", \(part)/1000 of a batch arrive"
    case .objects(.late): ", with some files late"
    case .objects(.halved): ", with some files half there"
    case .objects(.vanishing): ", with some files vanishing"
    case .objects(.doubled): ", with some files there twice"
    case .objects(.unreachable(let count)): ", which is gone after \(count) calls"
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

extension [EventDraft] {
  /// The types, entities and data of the events, for a list of what was done.
  package var text: String {
    map { draft in
      var bytes: [UInt8] = []
      draft.data.write(to: &bytes)
      return
        ([draft.type] + (draft.entity.map { [$0.description] } ?? [])
        + [String(decoding: bytes, as: UTF8.self)]).joined(separator: " ")
    }.joined(separator: "; ")
  }
}
