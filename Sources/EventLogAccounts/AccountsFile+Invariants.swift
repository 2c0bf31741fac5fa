extension AccountsFile {
  /// Whether the contents are possible in a file that this library has written.
  ///
  /// A user may have two journals, such as a journal and its copy. The next opening merges them.
  var isConsistent: Bool { brokenRules(allowingDuplicates: true).isEmpty }

  /// Stops a debug build if an invariant doesn't hold.
  func checkInvariants() { assert(brokenRules.isEmpty, brokenRules.joined(separator: "\n")) }

  /// The broken rules, as sentences.
  var brokenRules: [String] { brokenRules(allowingDuplicates: false) }

  private func brokenRules(allowingDuplicates: Bool) -> [String] {
    var broken: [String] = []
    func require(_ holds: Bool, _ rule: String) { if !holds { broken.append(rule) } }
    let files = (entries + removing.map(\.entry)).map(\.file)
    require(files.allSatisfy(AccountsFolder.isJournal), "Each name is one of a journal here.")
    require(
      Set(files.map { Array($0.utf8) }).count == files.count, "Each journal is listed once.")
    if let current {
      let entry = entry(of: current)
      require(entry != nil && !GuestName.isGuest(current), "The current account has a journal.")
      if case .done = entry?.adoption { broken.append("The current account is adopted.") }
    }
    var users: Set<[UInt8]> = []
    for entry in entries where !entry.isDuplicate {
      let isFirst = users.insert(Array(entry.user.utf8)).inserted
      require(allowingDuplicates || isFirst, "A user has one journal.")
    }
    for entry in entries + removing.map(\.entry) where !entry.isDuplicate {
      let isByGuest = entry.adoption.map { GuestName.isGuest($0.account) } ?? false
      require(!isByGuest, "Guests adopt nobody.")
    }
    return broken
  }
}
