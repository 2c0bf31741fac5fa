import EventLog
import Testing

@testable import EventLogAccounts

/// The plans for signing in and out, case by case.
@Suite struct SessionPlanTests {
  @Test func `signing in adopts a guest with events if asked, and creates a missing journal`() {
    func plan(_ hasJournal: Bool, _ guestHasEvents: Bool, _ guest: GuestChoice) -> SignInPlan {
      SignInPlan(hasJournal: hasJournal, guestHasEvents: guestHasEvents, guest: guest)
    }
    for guest in GuestChoice.allCases {
      #expect(plan(true, false, guest) == plan(true, false, .leave))
      #expect(!plan(true, false, guest).isNew && !plan(true, false, guest).adopts)
      #expect(plan(false, false, guest).isNew && !plan(false, false, guest).adopts)
    }
    for hasJournal in [true, false] {
      #expect(plan(hasJournal, true, .adopt).adopts)
      #expect(!plan(hasJournal, true, .leave).adopts)
      #expect(plan(hasJournal, true, .adopt).isNew != hasJournal)
    }
  }

  @Test func `signing out keeps or removes the journal as asked, or refuses to lose events`() {
    for count in [0, 1, 12] {
      #expect(SignOutPlan(.keep, onlyHere: count) == .keep)
      #expect(SignOutPlan(.remove, onlyHere: count) == .remove(lost: count))
    }
    #expect(SignOutPlan(.removeIfElsewhere, onlyHere: 0) == .remove(lost: 0))
    #expect(SignOutPlan(.removeIfElsewhere, onlyHere: 12) == .refuse(onlyHere: 12))
  }

  @Test(arguments: ["guest-", "guest-4k7m2x", "", "a\u{1}", String(repeating: "x", count: 129)])
  func `an invalid account name is refused`(_ name: String) {
    #expect(throws: EventLogError.self) { try EventLogError.checkAccountName(name) }
  }

  @Test func `a valid account name is accepted`() throws {
    for name in ["ada", "guest", "u-4711", "…", String(repeating: "x", count: 128)] {
      try EventLogError.checkAccountName(name)
    }
  }
}
