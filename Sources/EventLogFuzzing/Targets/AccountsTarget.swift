import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogTesting

/// Any `accounts.json` is refused, or is written as it was read.
///
/// Nothing outside its folder changes, and only journals that it asks to remove lose bytes. If the
/// folder opens, it accepts a sign-in and a sign-out, and reopens in the same state.
///
/// Input: `accounts.json`, in a folder with the journals `guest.jsonl` (of `guest-1`), `ada.jsonl`
/// (of `ada`) and `bea.jsonl` (of `bea`, who has adopted `guest-2`).
enum AccountsTarget {
  private static let folder = "/Accounts"
  private static let list = "/Accounts/accounts.json"
  /// An empty file that each opening creates.
  private static let lock = "/Accounts/accounts.lock"
  private static let outside = "/outside.jsonl"

  static func check(_ input: [UInt8]) async throws {
    let memory = MemoryJournal(on: try await base.value.disk.copy(machineIdentity: "memory"))
    try memory.put(input, to: list)
    let before = try contents(memory)
    let file: AccountsFile
    do throws(EventLogError) { file = try AccountsFile(input, at: list) } catch {
      try Finding.require(
        error.code == .invalidInput && error.location.file == list, "Unexpected: \(error)")
      try Finding.require(
        try await open(memory) == nil && contents(memory) == before, "It was refused, and opened.")
      return
    }
    let (reread, removing) = (try AccountsFile(file.encoded, at: list), file.removing.map(\.file))
    try Finding.require(
      reread == file && reread.encoded == file.encoded, "It is not read as it was written.")
    _ = try AccountsOverview(ofFolder: folder, fileSystem: memory.disk)
    try Finding.require(try contents(memory) == before, "Looking has changed something.")
    guard let accounts = try await open(memory) else {
      return try checkKept(memory, before, besides: removing)
    }
    try await signInAndOut(accounts)
    let user = accounts.current.user
    try await accounts.close()
    try checkKept(memory, before, besides: removing)
    guard let reopened = try await open(memory) else { throw Finding("It does not open again.") }
    // A guest who has written nothing is a new one each time.
    try Finding.require(
      reopened.current.user == user || reopened.current.isGuest && user.hasPrefix("guest-"),
      "\(user) was current, and now \(reopened.current.user).")
    try await reopened.close()
  }

  /// Returns nil if the folder can't be opened.
  private static func open(_ memory: MemoryJournal) async throws -> Accounts? {
    do throws(EventLogError) {
      var options = AccountOptions(journal: memory.options(), catalog: .standard)
      options.journal.user = nil
      return try await Accounts.open(folder, options: options)
    } catch {
      let codes: [EventLogError.Code] = [.invalidInput, .otherUser]
      try Finding.require(codes.contains(error.code), "Unexpected: \(error)")
      return nil
    }
  }

  private static func signInAndOut(_ accounts: Accounts) async throws {
    for user in ["ada", "eve"] {
      let users: [String]
      do throws(EventLogError) {
        users = [try await accounts.signIn(as: user).account.user, accounts.current.user]
        _ = try await accounts.current.store.append([
          EventDraft(type: "settings.changed", data: ["theme": "dark"])
        ])
        _ = try await accounts.signOut()
      } catch {
        // The list may contain another user's journal.
        let codes: [EventLogError.Code] = [.otherUser]
        try Finding.require(codes.contains(error.code), "Unexpected: \(error)")
        continue
      }
      try Finding.require(
        users == [user, user] && accounts.current.isGuest, "Somebody else is signed in.")
    }
  }

  // MARK: - Disk

  private static func contents(_ memory: MemoryJournal) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    let paths = try memory.disk.contents(of: folder).map { Path.join(folder, $0) } + [outside]
    for path in paths where path != lock {
      guard try memory.disk.status(at: path).kind == .regular else { continue }
      contents[path] = try memory.disk.contents(ofFile: path, maximumBytes: 1 << 24)
    }
    return contents
  }

  private static func checkKept(
    _ memory: MemoryJournal, _ before: [String: [UInt8]], besides removing: [String]
  ) throws {
    let now = try contents(memory)
    for (path, bytes) in before where path != list && !removing.contains(Path.name(of: path)) {
      try Finding.require(
        now[path]?.starts(with: bytes) ?? false, "\(path) has lost what stood in it.")
    }
    try Finding.require(now[outside] == before[outside], "Something outside has changed.")
  }

  private static let base = Task { () async throws -> MemoryJournal in
    let memory = MemoryJournal(on: MemoryFileSystem(clock: .fixed(1_700_000_000_000)))
    try memory.disk.makeFolder(folder)
    let journals = [
      ("guest.jsonl", "guest-1"), ("ada.jsonl", "ada"), ("bea.jsonl", "bea"),
      ("left.jsonl", "guest-2"), ("../outside.jsonl", "guest-3"),
    ]
    for (name, user) in journals {
      let path = name.hasPrefix("..") ? outside : Path.join(folder, name)
      let store = EventStore.unread(
        path: path, options: memory.options(user, user: user), catalog: .standard)
      _ = try await store.append([
        EventDraft(type: "settings.changed", data: ["theme": .string(user)])
      ])
      if user == "bea" { continue }
      try await store.close()
    }
    let bea = EventStore.unread(
      path: Path.join(folder, "bea.jsonl"), options: memory.options("bea", user: "bea"),
      catalog: .standard)
    _ = try await bea.adopt(
      JournalRemote(path: Path.join(folder, "left.jsonl"), options: memory.options("left")))
    try await bea.close()
    return memory
  }
}
