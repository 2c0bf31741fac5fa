import EventLog
import Testing

@testable import EventLogAccounts

/// Which providers are used, row by row.
@Suite struct ProviderPlanTests {
  private static let now = Timestamp("2026-01-28T12:00:00Z")!
  private static let justNow = Timestamp("2026-01-28T11:59:00Z")!
  private static let longAgo = Timestamp("2026-01-28T10:59:00Z")!
  private static let order = ["cloudkit", "firestore", "folder"]

  private func used(
    _ choice: ProviderChoice, _ conditions: [String: ProviderPlan.Condition] = [:],
    isGuest: Bool = false
  ) -> [String] {
    ProviderPlan.providers(
      isGuest: isGuest, choice: choice, order: Self.order, conditions: conditions, now: Self.now)
  }

  @Test(arguments: [ProviderChoice.automatic, .only("folder"), .local])
  func `a guest uses none`(_ choice: ProviderChoice) {
    #expect(used(choice, isGuest: true).isEmpty)
  }

  @Test func `local uses none`() {
    #expect(used(.local, ["cloudkit": .healthy]).isEmpty)
  }

  @Test(
    arguments: [
      nil, .unknown, .healthy, .stopped, .failing(since: longAgo),
    ] as [ProviderPlan.Condition?])
  func `a named one is used, and never another`(_ condition: ProviderPlan.Condition?) {
    let conditions = condition.map { ["folder": $0] } ?? [:]
    #expect(used(.only("folder"), conditions) == ["folder"])
    #expect(used(.only("nowhere"), conditions) == [])
  }

  @Test func `automatic uses the first one that works`() {
    #expect(used(.automatic) == ["cloudkit"])
    #expect(used(.automatic, ["cloudkit": .healthy]) == ["cloudkit"])
    #expect(used(.automatic, ["cloudkit": .healthy, "firestore": .healthy]) == ["cloudkit"])
  }

  @Test func `one that stopped is replaced at once, and stays in use`() {
    #expect(used(.automatic, ["cloudkit": .stopped]) == ["cloudkit", "firestore"])
    #expect(
      used(.automatic, ["cloudkit": .stopped, "firestore": .stopped]) == Self.order)
  }

  @Test func `one that cannot be reached is replaced after an hour`() {
    let soon = ["cloudkit": ProviderPlan.Condition.failing(since: Self.justNow)]
    #expect(used(.automatic, soon) == ["cloudkit"])
    #expect(ProviderPlan.nextChange(soon, now: Self.now) == .seconds(3540))
    let late = ["cloudkit": ProviderPlan.Condition.failing(since: Self.longAgo)]
    #expect(used(.automatic, late) == ["cloudkit", "firestore"])
    #expect(ProviderPlan.nextChange(late, now: Self.now) == nil)
  }

  @Test func `none is let go of before an earlier one works`() {
    func used(_ condition: ProviderPlan.Condition) -> [String] {
      ProviderPlan.providers(
        isGuest: false, choice: .automatic, order: Self.order,
        conditions: ["cloudkit": condition, "firestore": .healthy],
        inUse: ["cloudkit", "firestore"],
        now: Self.now)
    }
    #expect(used(.unknown) == ["cloudkit", "firestore"])
    #expect(used(.failing(since: Self.justNow)) == ["cloudkit", "firestore"])
    #expect(used(.healthy) == ["cloudkit"])
  }

  @Test func `one that comes back is used alone again`() {
    // It answers, and does not hold everything yet.
    #expect(
      used(.automatic, ["cloudkit": .failing(since: Self.longAgo), "firestore": .healthy])
        == ["cloudkit", "firestore"])
    #expect(used(.automatic, ["cloudkit": .healthy, "firestore": .healthy]) == ["cloudkit"])
  }
}
