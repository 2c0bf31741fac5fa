import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogTesting
import Foundation

/// Times a guest's sign-in and the minimum work that it requires, alternately.
struct AccountCosts {
  var eventCount = 100_000
  var roundCount = 9

  // MARK: - Adoption

  /// Times the adoption of a guest's journal into one with one event, and a sync of as many events.
  func adopt() async throws {
    let folder = try TemporaryFolder()
    var rounds: [(sync: Cost, adoption: Cost)] = []
    for (name, user) in [("other", "ada"), ("guest", "guest-1")] {
      var generator = JournalGenerator(seed: 7, eventCount: eventCount, user: user)
      _ = try generator.write(to: folder.file("\(name).jsonl"))
    }
    // The first round is a warm-up.
    for round in 0...roundCount {
      var costs: [Cost] = []
      for name in round.isMultiple(of: 2) ? ["other", "guest"] : ["guest", "other"] {
        let store = try await Self.one(at: folder.file("\(name)-\(round).jsonl"))
        let source = JournalRemote(path: folder.file("\(name).jsonl"))
        costs.append(
          try await Cost.of {
            if name == "guest" {
              _ = try await store.adopt(source)
            } else {
              _ = try await store.sync(with: source, .pull)
            }
          })
        try await store.close()
        try FileManager.default.removeItem(atPath: store.path)
      }
      if !round.isMultiple(of: 2) { costs.reverse() }
      if round > 0 { rounds.append((costs[0], costs[1])) }
    }
    print("\(eventCount) events into a journal of one, \(roundCount) rounds in turn:")
    Cost.print("sync", rounds.map(\.sync))
    Cost.print("adopt", rounds.map(\.adoption), comparedTo: rounds.map(\.sync))
  }

  /// Returns an unread store, like the command's, of a new journal with one event of its own.
  private static func one(at path: String) async throws -> EventStore {
    let options = JournalOptions(deviceName: "desk", user: "ada")
    let store = EventStore.unread(path: path, options: options, catalog: .standard)
    _ = try await store.append([EventDraft(type: "settings.changed", data: ["font": 12])])
    try await store.close()
    return .unread(path: path, options: options, catalog: .standard)
  }

  // MARK: - Sign-in

  /// Times a sign-in to an account whose journal exists, and the opening of that journal.
  func signIn() async throws {
    let folder = try TemporaryFolder()
    let accountsFolder = folder.file("Accounts")
    try FileManager.default.createDirectory(
      atPath: accountsFolder, withIntermediateDirectories: false)
    let path = Path.join(accountsFolder, "ada.jsonl")
    var generator = JournalGenerator(seed: 7, eventCount: eventCount)
    _ = try generator.write(to: path)
    // The first opening writes the checkpoint.
    _ = try await open(path)
    var rounds: [(opening: Cost, empty: Cost, guest: Cost)] = []
    for round in 0...roundCount {
      let opening = try await open(path)
      let empty = try await signIn(accountsFolder, guestEvents: 0)
      let guest = try await signIn(accountsFolder, guestEvents: 5)
      if round > 0 { rounds.append((opening, empty, guest)) }
    }
    print("a journal of \(eventCount) events, \(roundCount) rounds in turn:")
    Cost.print("opening the store", rounds.map(\.opening))
    Cost.print("sign-in", rounds.map(\.empty), comparedTo: rounds.map(\.opening))
    Cost.print(
      "sign-in that adopts 5 events", rounds.map(\.guest), comparedTo: rounds.map(\.opening))
  }

  private func open(_ path: String) async throws -> Cost {
    var store: EventStore?
    let cost = try await Cost.of {
      store = try await EventStore.open(
        path: path, options: JournalOptions(deviceName: "desk"), catalog: .standard)
    }
    try await store?.close()
    return cost
  }

  private func signIn(_ accountsFolder: String, guestEvents: Int) async throws -> Cost {
    let accounts = try await Accounts.open(
      accountsFolder,
      options: AccountOptions(journal: .init(deviceName: "desk"), catalog: .standard))
    for index in 0..<guestEvents {
      _ = try await accounts.current.store.append([
        EventDraft(
          type: "habit.created", entity: EntityID(kind: "habit", key: "g\(index)"),
          data: ["name": "Read"])
      ])
    }
    let cost = try await Cost.of { _ = try await accounts.signIn(as: "ada") }
    _ = try await accounts.signOut()
    try await accounts.close()
    return cost
  }
}
