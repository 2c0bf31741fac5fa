import EventLog
import Testing

@Suite struct ReplicationPlanTests {
  private static let a = DeviceID("a-aaaaaaaa")!
  private static let b = DeviceID("b-bbbbbbbb")!
  private static let c = DeviceID("c-cccccccc")!

  private func ranges(_ ranges: [EventRange]) -> [String] { ranges.map(\.description) }

  @Test func `each side gets what it lacks, of every device`() {
    let plan = ReplicationPlan(
      ours: [Self.a: 5, Self.b: 2], theirs: [Self.b: 7, Self.c: 1])
    #expect(ranges(plan.pulls) == ["b-bbbbbbbb:3–7", "c-cccccccc:1"])
    #expect(ranges(plan.pushes) == ["a-aaaaaaaa:1–5"])
    #expect(plan.forks.isEmpty && plan.withheld.isEmpty && !plan.isEmpty)
  }

  @Test func `the same on both sides is nothing to do`() {
    #expect(ReplicationPlan(ours: [Self.a: 5], theirs: [Self.a: 5]).isEmpty)
    #expect(ReplicationPlan(ours: [:], theirs: [:]).isEmpty)
  }

  @Test func `one way only`() {
    let (ours, theirs) = ([Self.a: 5 as Int64], [Self.b: 7 as Int64])
    let pull = ReplicationPlan(ours: ours, theirs: theirs, .pull)
    #expect(ranges(pull.pulls) == ["b-bbbbbbbb:1–7"] && pull.pushes.isEmpty)
    let push = ReplicationPlan(ours: ours, theirs: theirs, .push)
    #expect(ranges(push.pushes) == ["a-aaaaaaaa:1–5"] && push.pulls.isEmpty)
  }

  @Test func `nothing crosses of a fork, nor what has seen it`() {
    let plan = ReplicationPlan(
      ours: [Self.a: 9, Self.b: 20, Self.c: 4], theirs: [Self.a: 12, Self.b: 10],
      forks: [Self.a: 6], firstSeeing: [Self.b: 15, Self.c: 1])
    #expect(plan.forks == [EventID(device: Self.a, sequence: 6)])
    #expect(plan.pulls.isEmpty)
    #expect(ranges(plan.pushes) == ["b-bbbbbbbb:11–14"])
    #expect(ranges(plan.withheld) == ["b-bbbbbbbb:15–20", "c-cccccccc:1–4"])
    #expect(
      plan.description == """
        push b-bbbbbbbb:11–14
        fork at a-aaaaaaaa:6
        withhold b-bbbbbbbb:15–20
        withhold c-cccccccc:1–4
        """)
    #expect(ReplicationPlan(ours: [:], theirs: [:]).description == "nothing to do")
  }

  @Test func `what is held there is not withheld here`() {
    let plan = ReplicationPlan(
      ours: [Self.a: 9, Self.b: 20], theirs: [Self.a: 12, Self.b: 20],
      forks: [Self.a: 6], firstSeeing: [Self.b: 15])
    #expect(plan.withheld.isEmpty && plan.pushes.isEmpty && !plan.isEmpty)
  }

  @Test func `up to a fork all crosses`() {
    let plan = ReplicationPlan(
      ours: [Self.a: 3, Self.b: 9], theirs: [Self.a: 9, Self.b: 2],
      forks: [Self.a: 6, Self.b: 5])
    #expect(ranges(plan.pulls) == ["a-aaaaaaaa:4–5"])
    #expect(ranges(plan.pushes) == ["b-bbbbbbbb:3–4"])
    #expect(plan.forks.map(\.sequence) == [6, 5] && plan.withheld.isEmpty)
  }

  @Test func `who carries again what the other side still has stays out`() {
    let plan = ReplicationPlan(
      ours: [Self.a: 3, Self.b: 9, Self.c: 4], theirs: [Self.a: 9, Self.c: 2],
      forks: [Self.a: 4], barred: [Self.b], firstSeeing: [Self.c: 4])
    #expect(plan.pulls.isEmpty)
    #expect(ranges(plan.pushes) == ["c-cccccccc:3"])
    #expect(ranges(plan.withheld) == ["b-bbbbbbbb:1–9", "c-cccccccc:4"])
  }
}
