import EventLogAccounts
import Foundation

/// What an adoption leaves, wherever it was stopped.
extension FailurePlace {
  /// What is wrong with the journals of a guest and of whoever takes the guest's events.
  ///
  /// - Parameter isDone: whether all of the guest's events must be there.
  func complaints(of adoption: FailureOperation.Adoption?, isDone: Bool) -> [String] {
    var complaints: [String] = []
    for guest in ["guest.jsonl"] + guests.values.sorted() where bytes(guest) != before(guest) {
      complaints.append("the guest's \(guest) has changed")
    }
    guard let adoption, let (guest, account) = names(adoption) else {
      if isDone, adoption != nil { complaints.append("the account has no journal") }
      return complaints
    }
    // Room that a writer prepared is no part of it.
    let old = (before(account) ?? Data()).reversed().drop { [0x20, 0x0A].contains($0) }.reversed()
    if !(bytes(account) ?? Data()).starts(with: old) {
      complaints.append("\(account) has lost what stood in it")
    }
    if isDone, let guest {
      let lines = place.lines(account)
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
      let overview = try? AccountsOverview(ofFolder: place.file(folder))
      guard let row = overview?.rows.first(where: { $0.user == user }) else { return nil }
      return (guests[folder], "\(folder)/" + String(row.path.split(separator: "/").last ?? ""))
    }
  }

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: place.file(name))
  }

  private func before(_ name: String) -> Data? { contents[name].flatMap { $0 } }

  /// The bytes of all journals as they are, new ones included.
  var journalBytes: [String: Data] {
    place.contents().filter { $0.key.hasSuffix(".jsonl") }.compactMapValues { $0 }
  }
}
