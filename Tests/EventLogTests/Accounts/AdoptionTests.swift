import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog
@testable import EventLogAccounts

/// Adoption, which makes a guest's events an account's without overwriting anything.
@Suite struct AdoptionTests {
  private static let birthday = EventDraft.of(
    "profile.updated", nil, ["birthday": "1990-01-01", "firstName": "Ada"])
  private static let guestBirthday = EventDraft.of(
    "profile.updated", nil, ["birthday": "1999-05-05", "height": 170])

  /// Two devices of different users.
  private static func people() async throws -> (account: TemporaryStore, guest: TemporaryStore) {
    let account = try await TemporaryStore(
      device: "desk", records: Meal.self, catalog: .standard, seed: 1)
    let guest = try await TemporaryStore(
      device: "phone", user: "guest-1", records: Meal.self, catalog: .standard, seed: 2)
    return (account, guest)
  }

  @Test
  func `an adoption pulls the guest's events and reports different values as conflicts`()
    async throws
  {
    let (account, guest) = try await Self.people()
    _ = try await account.append([Self.birthday])
    _ = try await guest.append([Self.guestBirthday, .begin, .advance])
    let bytes = (try account.fileBytes, try guest.fileBytes)

    let plan = try await account.store.dryRunAdoption(of: guest.remote)
    #expect(plan.users == ["guest-1"] && plan.sync.pulledCount == 4)
    #expect(plan.sync.newConflicts.map(\.id) == ["profile#birthday"])
    #expect(try account.fileBytes == bytes.0 && guest.fileBytes == bytes.1)

    let report = try await account.store.adopt(guest.remote)
    #expect(report.users == ["guest-1"] && report.sync.pulledCount == 4)
    #expect(report.sync.newConflicts.map(\.id) == ["profile#birthday"])
    #expect(report.sync.newConflicts == plan.sync.newConflicts)
    #expect(try guest.fileBytes == bytes.1)
    let state = account.snapshot
    #expect(state.user == "ada" && state.adoptedUsers == ["guest-1"] && state.eventCount == 7)
    #expect(state.singleton("profile").first { $0.name == "height" }?.shown == 170)
    #expect(state.entities("habit").count == 1)

    let after = try account.fileBytes
    let second = try await account.store.adopt(guest.remote)
    #expect(second.users.isEmpty && second.sync.pulled.isEmpty && second.sync.newConflicts.isEmpty)
    #expect(try account.fileBytes == after)
  }

  @Test func `a new journal can start with an adoption`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await guest.append([Self.guestBirthday])
    let plan = try await account.store.dryRunAdoption(of: guest.remote)
    #expect(plan.users == ["guest-1"] && plan.sync.pulledCount == 2)
    try await account.store.adopt(guest.remote)
    #expect(account.snapshot.user == "ada" && account.snapshot.eventCount == 4)
  }

  @Test func `an interrupted adoption is finished by the next one`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([Self.birthday])
    for number in 0..<20 { _ = try await guest.append([.theme(.string("\(number)"))]) }
    let adoption = Adoption(of: guest.remote)
    for try await progress in adoption.replication(into: account.store, dryRun: false) {
      // The adoption event is written, but none of the guest's events.
      if case .planned = progress { break }
    }
    try await account.store.refresh()
    #expect(account.snapshot.adoptedUsers == ["guest-1"] && account.snapshot.eventCount == 3)
    let report = try await account.store.adopt(guest.remote)
    #expect(report.users.isEmpty && report.sync.pulledCount == 21)
    #expect(account.snapshot.eventCount == 24)
  }

  @Test func `an adoption includes the users whom the guest had adopted`() async throws {
    let (account, guest) = try await Self.people()
    let first = try await TemporaryStore(
      device: "watch", user: "guest-0", records: Meal.self, catalog: .standard, seed: 3)
    _ = try await first.append([.begin])
    _ = try await guest.append([Self.guestBirthday])
    try await guest.store.adopt(first.remote)
    _ = try await account.append([Self.birthday])
    let report = try await account.store.adopt(guest.remote)
    #expect(report.users == ["guest-1", "guest-0"])
    #expect(account.snapshot.entities("habit").count == 1)
    let undone = try await account.store.undoAdoption(of: "guest-1")
    #expect(account.snapshot.entities("habit").isEmpty && undone.kept.isEmpty)
  }

  @Test func `two phones that adopt different guests converge`() async throws {
    let (phone, guest) = try await Self.people()
    let tablet = try await TemporaryStore(
      device: "tablet", records: Meal.self, catalog: .standard, seed: 4)
    let other = try await TemporaryStore(
      device: "tablet", user: "guest-2", records: Meal.self, catalog: .standard, seed: 5)
    _ = try await guest.append([Self.guestBirthday])
    _ = try await other.append([.begin, .theme("dark")])
    try await phone.store.adopt(guest.remote)
    try await tablet.store.adopt(other.remote)
    try await phone.sync(with: tablet)
    try await tablet.sync(with: phone)
    #expect(phone.snapshot.jsonBytes == tablet.snapshot.jsonBytes)
    #expect(phone.snapshot.adoptedUsers == ["guest-1", "guest-2"])
    #expect(phone.snapshot.eventCount == 9)
  }

  @Test func `entities with the same name are reported and stay separate`() async throws {
    let (account, guest) = try await Self.people()
    let own = try await account.create(Meal.self) { $0.name = "Soup" }.id
    let theirs = try await guest.create(Meal.self) { $0.name = "Soup" }.id
    _ = try await guest.create(Meal.self) { $0.name = "Stew" }
    for report in [
      try await account.store.dryRunAdoption(of: guest.remote),
      try await account.store.adopt(guest.remote),
    ] {
      let same = try #require(report.sameNames.first)
      #expect(report.sameNames.count == 1 && same.kind == "meal" && same.name == "Soup")
      #expect(same.adopted == [theirs.entity] && same.others == [own.entity])
    }
    #expect(account.snapshot.all(Meal.self).count == 3)
  }

  // MARK: - Refused adoptions

  @Test func `adopting the journal's own user, or its adopter, is refused`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([Self.birthday])
    _ = try await guest.append([Self.guestBirthday])
    try await account.store.adopt(guest.remote)
    let bytes = (try account.fileBytes, try guest.fileBytes)
    let code1 = await failureCode { () throws(EventLogError) in
      _ = try await account.store.adopt(account.remote)
    }
    #expect(code1 == .invalidInput)
    let code2 = await failureCode { () throws(EventLogError) in
      _ = try await guest.store.adopt(account.remote)
    }
    #expect(code2 == .otherUser)
    #expect(try account.fileBytes == bytes.0 && guest.fileBytes == bytes.1)
  }

  @Test func `adopting a damaged journal is refused, but a torn tail isn't`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([Self.birthday])
    for number in 0..<3 { _ = try await guest.append([.theme(.string("\(number)"))]) }
    let (sound, before) = (try guest.fileBytes, try account.fileBytes)
    var damaged = sound
    damaged[sound.count / 2] ^= 1
    let sandbox = try Sandbox()
    try sandbox.put(damaged)
    let remote = JournalRemote(path: sandbox.path)
    let code3 = await failureCode { () throws(EventLogError) in
      _ = try await account.store.adopt(remote)
    }
    #expect(code3 == .damaged)
    #expect(try account.fileBytes == before)
    try sandbox.put(sound + Array("{\"id\":".utf8))
    let report = try await account.store.adopt(remote)
    #expect(report.sync.pulledCount == 4)
  }
}

extension TemporaryStore {
  fileprivate var fileBytes: [UInt8] {
    get throws { try SystemFileSystem().contents(ofFile: store.path, maximumBytes: 1 << 24) }
  }
}

extension Snapshot {
  fileprivate var jsonBytes: [UInt8] {
    var bytes: [UInt8] = []
    writeJSON { bytes += $0 }
    return bytes
  }
}
