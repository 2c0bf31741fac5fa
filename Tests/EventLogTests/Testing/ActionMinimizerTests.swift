import EventLogTesting
import Testing

@Suite struct ActionMinimizerTests {
  /// A list of so many actions, told apart by their device.
  private func actions(_ count: Int) -> [SimulatedAction] {
    (0..<count).map { .reopen(device: $0) }
  }

  private func devices(_ actions: [SimulatedAction]) -> [Int] {
    actions.map { if case .reopen(let device) = $0 { device } else { -1 } }
  }

  @Test(arguments: [[0], [99], [3, 50], [0, 1, 98, 99], [10, 20, 30, 40, 50, 60]])
  func `what it leaves is what it takes to fail`(culprits: [Int]) async {
    var minimizer = ActionMinimizer(actions(100), ["all fail"])
    let least = await minimizer.minimize { actions in
      Set(devices(actions)).isSuperset(of: culprits) ? ["\(actions.count) fail"] : []
    }
    #expect(devices(least.actions) == culprits)
    #expect(least.failures == ["\(culprits.count) fail"])
  }

  @Test func `what fails once only is told with its reasons`() async {
    var minimizer = ActionMinimizer(actions(20), ["it failed"])
    let least = await minimizer.minimize { _ in [] }
    #expect(least.actions.count == 20)
    #expect(least.failures == ["it failed"])
  }

  @Test func `it stops looking after so many runs`() async {
    var (runs, minimizer) = (0, ActionMinimizer(actions(2000), []))
    // Nothing can be left out but the last one each time: the worst that there is.
    let least = await minimizer.minimize { actions in
      runs += 1
      return devices(actions) == Array(0..<actions.count) ? ["it failed"] : []
    }
    #expect(runs <= 300)
    #expect(least.actions.count < 2000)
  }
}
