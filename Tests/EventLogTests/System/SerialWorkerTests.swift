import Synchronization
import Testing

@testable import EventLog

@Suite struct SerialWorkerTests {
  @Test func `work is done in order, one piece at a time`() async {
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
}

private final class Log: Sendable {
  let numbers = Mutex<[Int]>([])
}
