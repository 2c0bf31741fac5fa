import EventLog
import Testing

@testable import EventLogAccounts

/// The providers that are used in each case.
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
  func `a guest uses no provider`(_ choice: ProviderChoice) {
    #expect(used(choice, isGuest: true).isEmpty)
  }

  @Test func `a local account uses no provider`() {
    #expect(used(.local, ["cloudkit": .healthy]).isEmpty)
  }

  @Test(
    arguments: [
      nil, .unknown, .healthy, .stopped, .failing(since: longAgo),
    ] as [ProviderPlan.Condition?])
  func `only the named provider is used, whatever its condition`(
    _ condition: ProviderPlan.Condition?
  ) {
    let conditions = condition.map { ["folder": $0] } ?? [:]
    #expect(used(.only("folder"), conditions) == ["folder"])
    #expect(used(.only("nowhere"), conditions) == [])
  }

  @Test func `an automatic choice uses only the first provider, even if another is healthy`() {
    #expect(used(.automatic) == ["cloudkit"])
    #expect(used(.automatic, ["cloudkit": .healthy]) == ["cloudkit"])
    #expect(used(.automatic, ["cloudkit": .healthy, "firestore": .healthy]) == ["cloudkit"])
  }

  @Test func `a stopped provider is replaced at once and stays in use`() {
    #expect(used(.automatic, ["cloudkit": .stopped]) == ["cloudkit", "firestore"])
    #expect(
      used(.automatic, ["cloudkit": .stopped, "firestore": .stopped]) == Self.order)
  }

  @Test func `an unreachable provider is replaced after an hour`() {
    let soon = ["cloudkit": ProviderPlan.Condition.failing(since: Self.justNow)]
    #expect(used(.automatic, soon) == ["cloudkit"])
    #expect(ProviderPlan.nextChange(soon, now: Self.now) == .seconds(3540))
    let late = ["cloudkit": ProviderPlan.Condition.failing(since: Self.longAgo)]
    #expect(used(.automatic, late) == ["cloudkit", "firestore"])
    #expect(ProviderPlan.nextChange(late, now: Self.now) == nil)
  }

  @Test func `a provider in use is dropped only if an earlier one is healthy`() {
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

  @Test func `a provider that recovers is the only one in use again`() {
    // It doesn't hold everything yet, so its replacement stays in use.
    #expect(
      used(.automatic, ["cloudkit": .failing(since: Self.longAgo), "firestore": .healthy])
        == ["cloudkit", "firestore"])
    #expect(used(.automatic, ["cloudkit": .healthy, "firestore": .healthy]) == ["cloudkit"])
  }
}
