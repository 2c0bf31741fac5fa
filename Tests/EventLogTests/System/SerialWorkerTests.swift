import Synchronization
import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct SerialWorkerTests {
  @Test func `jobs run in order, one at a time`() async {
    let worker = SerialWorker()
    let log = Log()
    for number in 0..<1000 {
      worker.run { log.numbers.withLock { $0.append(number) } }
    }
    await withCheckedContinuation { continuation in
      worker.run { continuation.resume() }
    }
    #expect(log.numbers.withLock { $0 } == Array(0..<1000))
  }

  @Test func `two jobs run concurrently, and both results are returned`() throws {
    let (question, answered) = (BoundedQueue<Int>(capacity: 1), BoundedQueue<Int>(capacity: 1))
    // Each job needs the other to make progress, so they can't run one after the other.
    let results = SerialWorker().both(
      there: {
        answered.put(question.take() + 1)
        return "there"
      },
      here: {
        question.put(1)
        return answered.take()
      })
    #expect(results.there == "there")
    #expect(results.here == 2)
  }

  @Test func `an error of either of two concurrent jobs is thrown`() {
    #expect(throws: Errno.noSuchFile) { _ = try SerialWorker().both(there: fail, here: succeed) }
    #expect(throws: Errno.noSuchFile) { _ = try SerialWorker().both(there: succeed, here: fail) }
  }
}

@Sendable private func fail() throws(Errno) -> Int { throw .noSuchFile }
@Sendable private func succeed() throws(Errno) -> Int { 1 }

private final class Log: Sendable {
  let numbers = Mutex<[Int]>([])
}
