import Dispatch
import EventLog
import Synchronization
import Testing

/// A feed of a latest value, whose readers can end at any time.
@Suite struct LatestFeedTests {
  @Test func `all readers get the latest value, and then the end`() async {
    let feed = LatestFeed(1)
    var (first, second) = (feed.changes.makeAsyncIterator(), feed.changes.makeAsyncIterator())
    #expect(await first.next() == 1)
    feed.publish(2)
    feed.update { $0 += 1 }
    feed.finish()
    #expect(await first.next() == 3)
    #expect(await second.next() == 3)
    #expect(await first.next() == nil)
    #expect(await second.next() == nil)
    feed.publish(4)
    var late = feed.changes.makeAsyncIterator()
    #expect(await late.next() == 4)
    #expect(await late.next() == nil)
  }

  /// A reader must be able to end while a value is published.
  ///
  /// A canceled task ends its reader before the task can be resumed. If ending waited for the
  /// writer, which resumes the task, both would wait forever.
  @Test func `a reader can end while a value is published`() async {
    let hasEnded = Mutex<Bool?>(nil)
    let reader = Reader()
    let feed = LatestFeed(Token {})
    await reader.begin(feed)
    // Only the buffer of `other` retains this token, so publishing the next value releases it.
    let other = feed.changes
    feed.publish(
      Token {
        let ending = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          reader.end()
          ending.signal()
        }
        let isInTime = ending.wait(timeout: .now() + .seconds(30)) == .success
        hasEnded.withLock { $0 = isInTime }
      })
    await reader.readOn()
    #expect(hasEnded.withLock { $0 } == nil)
    feed.publish(Token {})
    #expect(hasEnded.withLock { $0 } == true)
    withExtendedLifetime(other) {}
  }
}

/// A value that calls a function when it is released.
private final class Token: Sendable {
  private let onEnd: @Sendable () -> Void

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }
}

/// A reader that another thread can end.
private final class Reader: Sendable {
  private let stream = Mutex<AsyncStream<Token>?>(nil)

  func begin(_ feed: LatestFeed<Token>) async {
    stream.withLock { $0 = feed.changes }
    await readOn()
  }

  /// Takes the next value.
  func readOn() async {
    var iterator = stream.withLock { $0 }?.makeAsyncIterator()
    _ = await iterator?.next()
  }

  func end() { stream.withLock { $0 = nil } }
}
