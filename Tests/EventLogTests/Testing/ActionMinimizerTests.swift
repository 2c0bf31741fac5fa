import EventLogTesting
import Testing

@Suite struct ActionMinimizerTests {
  /// Returns `count` actions, distinguished by their devices.
  private func actions(_ count: Int) -> [SimulatedAction] {
    (0..<count).map { .reopen(device: $0) }
  }

  private func devices(_ actions: [SimulatedAction]) -> [Int] {
    actions.map { if case .reopen(let device) = $0 { device } else { -1 } }
  }

  @Test(arguments: [[0], [99], [3, 50], [0, 1, 98, 99], [10, 20, 30, 40, 50, 60]])
  func `a minimized list contains exactly the actions that cause the failure`(culprits: [Int]) async
  {
    var minimizer = ActionMinimizer(actions(100), ["all fail"])
    let least = await minimizer.minimize { actions in
      Set(devices(actions)).isSuperset(of: culprits) ? ["\(actions.count) fail"] : []
    }
    #expect(devices(least.actions) == culprits)
    #expect(least.failures == ["\(culprits.count) fail"])
  }

  @Test func `a transient failure is reported with its cause`() async {
    var minimizer = ActionMinimizer(actions(20), ["it failed"])
    let least = await minimizer.minimize { _ in [] }
    #expect(least.actions.count == 20)
    #expect(least.failures == ["it failed"])
  }

  @Test func `minimizing stops after a limited number of runs`() async {
    var (runs, minimizer) = (0, ActionMinimizer(actions(2000), []))
    // Only the last action can be removed each time, which is the worst case.
    let least = await minimizer.minimize { actions in
      runs += 1
      return devices(actions) == Array(0..<actions.count) ? ["it failed"] : []
    }
    #expect(runs <= 300)
    #expect(least.actions.count < 2000)
  }
}
