import Testing

@testable import EventLog

/// How a task that waits is woken.
@Suite struct WakeUpTests {
  private struct Reasons: OptionSet, Sendable {
    let rawValue: Int
    static let one = Reasons(rawValue: 1)
    static let two = Reasons(rawValue: 2)
  }

  private let wakeUp = WakeUp<Reasons> { try await Task.sleep(for: $0) }

  @Test func `what was wanted before is not waited for`() async {
    wakeUp.raise(.one)
    #expect(await wakeUp.wait(for: [.one, .two]) == .one)
    #expect(wakeUp.take() == .one && wakeUp.take() == [])
  }

  @Test func `a wait ends with its reason, and with no other`() async {
    let waiting = Task { [wakeUp] in await wakeUp.wait(for: .two) }
    wakeUp.raise(.one)
    await Task.yield()
    wakeUp.raise(.two)
    #expect(await waiting.value == .two)
    #expect(wakeUp.take() == [.one, .two])
  }

  @Test func `a wait ends with its time, and with its task`() async {
    #expect(await wakeUp.wait(for: .one, atMost: .milliseconds(1)) == [])
    let task = Task { [wakeUp] in await wakeUp.wait(for: .one) }
    task.cancel()
    #expect(await task.value == [])
    // It can be waited for again.
    wakeUp.raise(.one)
    #expect(await wakeUp.wait(for: .one, atMost: .seconds(60)) == .one)
  }

  @Test func `whenever it is cancelled or raised, it ends`() async {
    for _ in 0..<2000 {
      let task = Task { [wakeUp] in await wakeUp.wait(for: .one, atMost: .seconds(3600)) }
      let raise = Task { [wakeUp] in wakeUp.raise(.one) }
      task.cancel()
      _ = await (task.value, raise.value)
      _ = wakeUp.take()
    }
  }
}
