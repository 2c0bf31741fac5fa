import Testing

@testable import EventLog
@testable import EventLogSystem

/// Waking a waiting task.
@Suite struct AsyncSignalTests {
  private struct Reasons: OptionSet, Sendable {
    let rawValue: Int
    static let one = Reasons(rawValue: 1)
    static let two = Reasons(rawValue: 2)
  }

  private let wakeUp = AsyncSignal<Reasons> { try await Task.sleep(for: $0) }

  @Test func `a wait for a reason that was already raised returns at once`() async {
    wakeUp.raise(.one)
    #expect(await wakeUp.wait(for: [.one, .two]) == .one)
    #expect(wakeUp.take() == .one && wakeUp.take() == [])
  }

  @Test func `a wait ends only with one of its reasons`() async {
    let waiting = Task { [wakeUp] in await wakeUp.wait(for: .two) }
    wakeUp.raise(.one)
    await Task.yield()
    wakeUp.raise(.two)
    #expect(await waiting.value == .two)
    #expect(wakeUp.take() == [.one, .two])
  }

  @Test func `a wait ends at its timeout or when its task is canceled`() async {
    #expect(await wakeUp.wait(for: .one, atMost: .milliseconds(1)) == [])
    let task = Task { [wakeUp] in await wakeUp.wait(for: .one) }
    task.cancel()
    #expect(await task.value == [])
    // A later wait works.
    wakeUp.raise(.one)
    #expect(await wakeUp.wait(for: .one, atMost: .seconds(60)) == .one)
  }

  @Test func `a wait ends when canceled and raised at the same time`() async {
    for _ in 0..<2000 {
      let task = Task { [wakeUp] in await wakeUp.wait(for: .one, atMost: .seconds(3600)) }
      let raise = Task { [wakeUp] in wakeUp.raise(.one) }
      task.cancel()
      _ = await (task.value, raise.value)
      _ = wakeUp.take()
    }
  }
}
