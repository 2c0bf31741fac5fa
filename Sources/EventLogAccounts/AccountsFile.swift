package import EventLog

/// What `accounts.json` says: who is current, and whose each journal is.
///
/// It can be lost. Then it is made anew from the journals, and nobody is signed in.
package struct AccountsFile: Equatable {
  /// A journal in the folder.
  struct Entry: Equatable {
    /// The name of its file, which tells nothing of the user.
    var file: String
    var user: String
    /// Whether the app signed in anonymously.
    var isAnonymous = false
    /// Whether the account's journal began on this device, and no place has answered since.
    var isRestoring = false
    /// The account that has adopted its user, if one has.
    var adoptedBy: String?
  }

  /// A sign-in that has begun: after a crash, the next opening finishes it.
  struct Beginning: Equatable {
    var user: String
    /// The journal of the user who is adopted.
    var adopting: String
    /// Whether the app signs in anonymously.
    var isAnonymous = false
  }

  /// The account that is signed in; nil for none.
  var current: String?
  var choice = ProviderChoice.automatic
  var entries: [Entry] = []
  var beginning: Beginning?
  /// Journals that are being removed.
  package var removing: [String] = []

  func entry(of user: String) -> Entry? {
    entries.first { $0.user.hasBytes(of: user) }
  }

  /// The journals of a user, and of all whom that user has adopted, directly or through others.
  func family(of user: String) -> [String] {
    var (users, files): ([String], [String]) = ([user], [])
    while let next = users.popLast() {
      for entry in entries where !files.contains(entry.file) {
        let isOwn = entry.user.hasBytes(of: next)
        let isAdopted = entry.adoptedBy.map { $0.hasBytes(of: next) } ?? false
        guard isOwn || isAdopted else { continue }
        files.append(entry.file)
        if isAdopted { users.append(entry.user) }
      }
    }
    return files
  }

  /// Makes the owner of a journal the current user, as whom somebody has signed in.
  mutating func makeCurrent(_ entry: Entry, isAnonymous: Bool) {
    current = entry.user
    update(entry.file) { entry in
      entry.isAnonymous = isAnonymous
      // It is somebody's again, and may write what nobody has adopted.
      entry.adoptedBy = nil
    }
  }

  /// Changes what is known of a journal.
  mutating func update(_ file: String, _ change: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.file == file }) else { return }
    change(&entries[index])
  }
}

extension AccountsFile {
  static let name = "accounts.json"
  /// More than any device has.
  static let bytesMax = 1 << 22

  package var encoded: [UInt8] {
    var members: [JSONObject.Member] = [.init(name: "version", value: 1)]
    if let current { members.append(.init(name: "current", value: .string(current))) }
    members.append(.init(name: "choice", value: .string(Self.text(choice))))
    members.append(.init(name: "journals", value: .array(entries.map(Self.json))))
    if let beginning {
      members.append(.init(name: "signingIn", value: Self.json(beginning)))
    }
    if !removing.isEmpty {
      members.append(.init(name: "removing", value: .array(removing.map { .string($0) })))
    }
    var bytes: [UInt8] = []
    JSONValue.object(JSONObject(members)).write(to: &bytes)
    return bytes + [0x0A]
  }

  /// - Throws: `invalidInput` for bytes that are no such file, or of a later version.
  package init(_ bytes: [UInt8], at path: String) throws(EventLogError) {
    guard case .object(let object)? = try? JSONValue(parsing: bytes),
      case .number(let version)? = object["version"], let version = version.integer
    else { throw Self.foreign(path) }
    guard version == 1 else {
      throw EventLogError(
        .invalidInput,
        "\"\(path)\" was written by a later version of Eventlog. Nothing was changed.",
        hint: "Update the app.", at: .init(file: path))
    }
    guard let read = Self(object) else { throw Self.foreign(path) }
    self = read
  }

  private static func foreign(_ path: String) -> EventLogError {
    EventLogError(
      .invalidInput,
      "\"\(path)\" is cut off or was not written by Eventlog. Nothing was changed.",
      hint: "Move it away: it is made anew from the journals beside it, and nobody is signed in"
        + " then.", at: .init(file: path))
  }

  private init?(_ object: JSONObject) {
    func text(_ value: JSONValue?) -> String? {
      if case .string(let text)? = value { text } else { nil }
    }
    if let value = object["current"] {
      guard let user = text(value) else { return nil }
      current = user
    }
    guard let chosen = text(object["choice"]), let choice = Self.choice(chosen),
      case .array(let journals)? = object["journals"]
    else { return nil }
    self.choice = choice
    for journal in journals {
      guard let entry = Self.entry(journal) else { return nil }
      entries.append(entry)
    }
    if let value = object["signingIn"] {
      guard case .object(let begun) = value, let user = text(begun["user"]),
        let file = text(begun["adopting"])
      else { return nil }
      beginning = Beginning(
        user: user, adopting: file, isAnonymous: begun["anonymous"] == .bool(true))
    }
    if let value = object["removing"] {
      guard case .array(let files) = value else { return nil }
      removing = files.compactMap { text($0) }
      if removing.count < files.count { return nil }
    }
    guard isConsistent else { return nil }
  }

  /// Whether it leads out of no folder, a journal is one user's, and who is current has one.
  ///
  /// A user may have two: somebody may have put a copy beside the first one.
  private var isConsistent: Bool {
    let files = entries.map(\.file) + removing
    let isListed = current.map { entry(of: $0) != nil && !GuestName.isGuest($0) } ?? true
    return isListed && Set(files.map { Array($0.utf8) }).count == files.count
      && (files + [beginning?.adopting].compactMap { $0 }).allSatisfy(AccountsFolder.isJournal)
  }

  private static func json(_ beginning: Beginning) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "user", value: .string(beginning.user)),
      .init(name: "adopting", value: .string(beginning.adopting)),
    ]
    if beginning.isAnonymous { members.append(.init(name: "anonymous", value: .bool(true))) }
    return .object(JSONObject(members))
  }

  // MARK: - Journals

  private static func json(_ entry: Entry) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "file", value: .string(entry.file)),
      .init(name: "user", value: .string(entry.user)),
    ]
    if entry.isAnonymous { members.append(.init(name: "anonymous", value: .bool(true))) }
    if entry.isRestoring { members.append(.init(name: "restoring", value: .bool(true))) }
    if let user = entry.adoptedBy {
      members.append(.init(name: "adoptedBy", value: .string(user)))
    }
    return .object(JSONObject(members))
  }

  private static func entry(_ value: JSONValue) -> Entry? {
    guard case .object(let object) = value, case .string(let file)? = object["file"],
      case .string(let user)? = object["user"]
    else { return nil }
    var entry = Entry(file: file, user: user)
    if case .bool(let isAnonymous)? = object["anonymous"] { entry.isAnonymous = isAnonymous }
    if case .bool(let isRestoring)? = object["restoring"] { entry.isRestoring = isRestoring }
    if case .string(let user)? = object["adoptedBy"] { entry.adoptedBy = user }
    return entry
  }

  // MARK: - Choices

  private static let onlyPrefix = "only:"

  private static func text(_ choice: ProviderChoice) -> String {
    switch choice {
    case .automatic: "automatic"
    case .local: "local"
    case .only(let name): onlyPrefix + name
    }
  }

  private static func choice(_ text: String) -> ProviderChoice? {
    switch text {
    case "automatic": .automatic
    case "local": .local
    default: text.hasPrefix(onlyPrefix) ? .only(String(text.dropFirst(onlyPrefix.count))) : nil
    }
  }
}
