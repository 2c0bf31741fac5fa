import EventLog
import EventLogAccounts
import EventLogTesting

extension AccountAction: CustomStringConvertible {
  package var description: String {
    let who = device.map { Self.deviceNames[$0] } ?? ""
    switch self {
    case .write(_, let drafts): return "\(who): writes \(drafts.text)"
    case .settle(_, let preference):
      return "\(who): resolves all conflicts, preferring \(preference.rawValue)"
    case .signIn(_, let person, let guest):
      return "\(who): signs in as \(person.user), \(guest.rawValue)s the guest"
    case .signOut(_, let leaving): return "\(who): signs out, \(leaving.rawValue)"
    case .undo(_, let number): return "\(who): undoes adoption \(number)"
    case .choose(_, let choice): return "\(who): chooses \(choice)"
    case .sync: return "\(who): syncs"
    case .prove: return "\(who): counts what is only here"
    case .reopen: return "\(who): restarts"
    case .crash(_, let work, let count): return "\(who): crashes after \(count) changes of \(work)"
    case .loseList: return "\(who): loses accounts.json"
    case .setClock(_, let time): return "\(who): its clock is set to \(time)"
    case .pass(let hours): return "\(hours) hours pass"
    case .provider(let number, let condition):
      return "provider \(SimulatedProvider.names[number]) is \(condition)"
    case .copy(_, let number, let isOther):
      return "\(who): is copied as \(Self.deviceNames[number])"
        + (isOther ? ", to another machine" : ", the whole machine")
    case .backUp: return "\(who): is backed up"
    case .restore: return "\(who): its backup is restored"
    }
  }
}

extension AccountAction.Work: CustomStringConvertible {
  package var description: String {
    switch self {
    case .write(let drafts, let count):
      "writing \(count) bytes at most of \(drafts.text)"
    case .signIn(let person, let guest):
      "signing in as \(person.user), \(guest.rawValue)ing the guest"
    case .signOut(let leaving): "signing out, \(leaving.rawValue)"
    case .undo(let number): "undoing adoption \(number)"
    case .choose(let choice): "choosing \(choice)"
    case .prove: "counting what is only here"
    case .reopen: "a restart"
    }
  }
}
