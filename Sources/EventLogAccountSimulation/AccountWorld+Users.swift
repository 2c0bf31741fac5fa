import EventLog
import EventLogAccounts
import EventLogTesting
import EventLogUndo

extension AccountWorld {
  /// Refusals that any app must expect.
  private static let expected: Set<EventLogError.Code> = [
    .noEntity, .deletedEntity, .entityExists, .invalidEvent, .changedMeanwhile, .noConflict,
  ]

  // MARK: - Writing

  func write(
    _ drafts: [EventDraft], _ device: SimulatedAccounts
  ) async throws(EventLogError) -> String {
    do throws(EventLogError) {
      acknowledge(try await device.store.append(drafts), device)
      return "written"
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
      return "\(error.code)"
    }
  }

  /// Records the events that an append has written.
  func acknowledge(_ receipt: AppendReceipt?, _ device: SimulatedAccounts) {
    guard let receipt, !receipt.appended.isEmpty else { return }
    let held = lines.read(device.bytes(device.store.path)).reversed()
    for event in receipt.appended.map(\.id) {
      // The last line counts, since a restored device may reuse sequences.
      guard let line = held.first(where: { $0.id.shortID == event || $0.id.id == event }) else {
        failures.append("\(event) was acknowledged, but is not in the journal of \(device.user)")
        continue
      }
      device.acknowledged[device.user, default: []].insert(line.id)
      totals.events += 1
    }
  }

  func settle(
    _ preference: ConflictPreference, _ device: SimulatedAccounts
  ) async throws(EventLogError) -> String {
    let conflicts = device.store.snapshot.conflicts
    if conflicts.isEmpty { return "nothing" }
    do throws(EventLogError) {
      let (receipt, left) = try await device.store.resolve(conflicts, preferring: preference)
      acknowledge(receipt, device)
      return "\(conflicts.count - left.count) resolved"
    } catch {
      guard Self.expected.contains(error.code) else { throw error }
      return "\(error.code)"
    }
  }

  // MARK: - Signing in and out

  /// Allows the events that a sign-in may adopt, and returns whether there are any.
  func allowAdoption(
    by person: AccountAction.Person, _ guest: GuestChoice, _ device: SimulatedAccounts
  ) -> Bool {
    let current = device.accounts.current
    guard guest == .adopt, current.isGuest || current.isAnonymous, current.user != person.user
    else { return false }
    let events = lines.read(device.bytes(current.store.path)).map(\.id)
    adopted[person.user, default: []].formUnion(events)
    return !events.isEmpty
  }

  func signIn(
    _ person: AccountAction.Person, _ guest: GuestChoice, _ device: SimulatedAccounts
  ) async throws(EventLogError) -> String {
    let before = device.user
    let adopts = allowAdoption(by: person, guest, device)
    let marks = marks(device)
    do throws(EventLogError) {
      let signIn = try await device.accounts.signIn(
        as: person.user, isAnonymous: person.isAnonymous, guest: faults.choose(guest))
      if adopts != (signIn.adoption != nil) {
        failures.append("\(person.user) \(adopts ? "adopted nobody" : "adopted \(before)")")
      }
      if adopts { totals.adoptions += 1 }
      if device.user != person.user || signIn.account.user != person.user {
        failures.append("\(person.user) signed in, but \(device.user) is current")
      }
      try await awaitReplication(device, before == person.user ? .changed : .began, marks)
      return "\(device.user), \(signIn.adoption?.sync.pulledCount ?? 0) adopted"
    } catch {
      // Two anonymous accounts of one device can't adopt each other.
      guard error.code == .otherUser, person.isAnonymous else { throw error }
      if device.user != before { failures.append("\(before) is not current after a refusal") }
      try await awaitReplication(device, .began, marks)
      return "\(error.code)"
    }
  }

  func signOut(
    _ leaving: Leaving, _ device: SimulatedAccounts
  ) async throws(EventLogError) -> String {
    let (before, known) = (device.user, await device.accounts.all)
    let (wasGuest, marks) = (device.isGuest, marks(device))
    let result = await asApp { () async -> Result<SignOut, EventLogError> in
      do throws(EventLogError) { return .success(try await device.accounts.signOut(leaving)) } catch
      {
        return .failure(error)
      }
    }
    switch result {
    case .success(let done):
      if !device.isGuest { failures.append("\(before) signed out, but \(device.user) is current") }
      if done.isRemoved != (!wasGuest && leaving != .keep) {
        failures.append("\(before) signed out (\(leaving)): removed \(done.isRemoved)")
      }
      await noteRemovals(known, before, leaving, device)
      return "\(done.isRemoved ? "removed" : "kept")"
    case .failure(let error):
      guard error.code == .eventsOnlyHere, leaving == .removeIfElsewhere else { throw error }
      totals.refusals += 1
      if device.user != before { failures.append("\(before) is not current after a refusal") }
      try await awaitReplication(device, .noted, marks)
      return "\(error.code)"
    }
  }

  /// Records removed journals and checks that their events are elsewhere if that was proved.
  ///
  /// - Parameter known: The users before the removal.
  func noteRemovals(
    _ known: [KnownAccount], _ user: String, _ leaving: Leaving, _ device: SimulatedAccounts
  ) async {
    let left = Set(await device.accounts.all.map(\.user))
    let removed = known.map(\.user).filter { !left.contains($0) }
    if removed.isEmpty { return }
    totals.removals += 1
    var family: Set<String> = [user]
    while let next = known.first(where: { known in
      !family.contains(known.user) && known.adoptedBy.map(family.contains) == true
    }) {
      family.insert(next.user)
    }
    for other in removed where leaving == .keep || !family.contains(other) {
      failures.append("the journal of \(other) is gone because \(user) signed out (\(leaving))")
    }
    if leaving == .removeIfElsewhere {
      let lost = removed.reduce(into: Set()) { $0.formUnion(device.acknowledged[$1] ?? []) }
      let isElsewhere = providers.contains { provider in
        stored(user, provider).isSuperset(of: lost)
      }
      if !isElsewhere {
        failures.append("\(user) was removed from \(device.name), and no place has all its events")
      }
    }
    for user in removed { device.acknowledged[user] = nil }
  }

  func undo(_ number: Int, _ device: SimulatedAccounts) async throws(EventLogError) -> String {
    let users = device.store.snapshot.adoptedUsers
    if device.isGuest || users.isEmpty { return "nothing" }
    let user = users[number % users.count]
    let report =
      faults.forgetsUndos
      ? try await device.store.dryRunUndoOfAdoption(of: user)
      : try await device.accounts.undoAdoption(of: user)
    acknowledge(report.receipt, device)
    totals.undos += 1
    let rest = try await device.store.dryRunUndoOfAdoption(of: user)
    if let change = rest.changes.first {
      failures.append("undoing \(user) a second time would change \(change.place)#\(change.field)")
    }
    if let conflict = rest.resolved.first {
      failures.append("undoing \(user) a second time would resolve \(conflict)")
    }
    return "\(report.changes.count) undone"
  }
}
