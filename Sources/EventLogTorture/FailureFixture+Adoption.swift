import EventLogAccounts
import Foundation

/// Checks of an adoption that may have been interrupted.
extension FailureFixture {
  /// Returns complaints about the journals of a guest and of the adopting user.
  ///
  /// - Parameter isDone: Whether all of the guest's events must be there.
  func complaints(of adoption: FailureOperation.Adoption?, isDone: Bool) -> [String] {
    var complaints: [String] = []
    for guest in ["guest.jsonl"] + guests.values.sorted() where bytes(guest) != before(guest) {
      complaints.append("the guest's \(guest) has changed")
    }
    guard let adoption, let (guest, account) = names(adoption) else {
      if isDone, adoption != nil { complaints.append("the account has no journal") }
      return complaints
    }
    // An append may complete a last line without LF.
    let old = (before(account) ?? Data()).reversed().drop { [0x20, 0x0A].contains($0) }.reversed()
    if !(bytes(account) ?? Data()).starts(with: old) {
      complaints.append("\(account) has lost earlier contents")
    }
    if isDone, let guest {
      let lines = sandbox.lines(account)
      for line in goodLines[guest, default: []] where lines.count(where: { $0 == line }) != 1 {
        complaints.append("\(account) lacks an event of \(guest), or has it twice")
      }
    }
    return complaints
  }

  private func names(
    _ adoption: FailureOperation.Adoption
  ) -> (guest: String?, account: String)? {
    switch adoption {
    case .journal(let guest, let account): return (guest, account)
    case .undo(let account): return (nil, account)
    case .folder(let folder, let user):
      let overview = try? AccountsOverview(ofFolder: sandbox.file(folder))
      guard let row = overview?.rows.first(where: { $0.user == user }) else { return nil }
      return (guests[folder], "\(folder)/" + String(row.path.split(separator: "/").last ?? ""))
    }
  }

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: sandbox.file(name))
  }

  private func before(_ name: String) -> Data? { contents[name].flatMap { $0 } }

  /// The bytes of all current journals, including new ones.
  var journalBytes: [String: Data] {
    sandbox.contents().filter { $0.key.hasSuffix(".jsonl") }.compactMapValues { $0 }
  }
}
