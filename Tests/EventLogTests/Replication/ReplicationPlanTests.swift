import EventLog
import EventLogTesting
import Testing

@Suite struct ReplicationPlanTests {
  private func plan(
    _ left: JournalCopy, _ right: JournalCopy,
    _ directions: ReplicationPlan.Directions = .both
  ) async throws -> ReplicationPlan {
    let (ours, theirs) = try (left.ledger(), right.ledger())
    let search = PartingSearch(ours: ours, theirs: theirs.statement, lookup: theirs)
    return ReplicationPlan(
      ours: ours, theirs: theirs.statement, partings: try await search.partings(),
      refills: try await search.refills(), directions)
  }

  private func ranges(_ ranges: [EventRange]) -> [String] {
    ranges.map { "\($0.device.text.prefix { $0 != "-" }):\($0.first)–\($0.last)" }
  }

  @Test func `each side gets what it lacks, of every device`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1, "b": 2])
    try await tablet.set(["c": 1])
    let plan = try await plan(phone, tablet)
    #expect(ranges(plan.pulls) == ["tablet:1–2"])
    #expect(ranges(plan.pushes) == ["phone:3–4"])
    #expect(!plan.isEmpty)
    let pull = try await self.plan(phone, tablet, .pull)
    #expect(pull.pushes.isEmpty && ranges(pull.notPushed) == ["phone:3–4"])
    let push = try await self.plan(phone, tablet, .push)
    #expect(push.pulls.isEmpty && ranges(push.notPulled) == ["tablet:1–2"])
  }

  @Test func `the same on both sides is nothing to do`() async throws {
    let (phone, tablet) = try await JournalCopy.pair()
    let plan = try await plan(phone, tablet)
    #expect(plan.isEmpty && plan.description == "nothing to do")
  }

  @Test func `of a fork each side gets the other one's history from where they part`() async throws
  {
    let (phone, _) = try await JournalCopy.pair()
    let twin = phone.clone(9, clock: phone.clock)
    try await phone.set(["a": 1])
    try await phone.set(["b": 1])
    try await twin.set(["c": 1])
    let plan = try await plan(phone, twin)
    #expect(ranges(plan.pulls) == ["phone:3–3"])
    #expect(ranges(plan.pushes) == ["phone:3–4"])
    #expect(plan.pulls[0].chain != plan.pushes[0].chain)
  }

  @Test func `what one side knows to be missing is filled by the other, in both directions`()
    async throws
  {
    let (phone, tablet) = try await JournalCopy.pair()
    try await phone.set(["a": 1, "b": 1])
    try await phone.set(["c": 1])
    try await phone.sync(with: tablet)
    try phone.damage(lineWith: "\"a\"")
    let taken = try await plan(phone, tablet)
    #expect(ranges(taken.pulls) == ["phone:3–3"] && taken.pushes.isEmpty)
    let given = try await plan(tablet, phone)
    #expect(ranges(given.pushes) == ["phone:3–3"] && given.pulls.isEmpty)
  }
}
