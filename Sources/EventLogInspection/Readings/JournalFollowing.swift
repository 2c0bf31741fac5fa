package import EventLog
import Synchronization

extension Journal {
  /// Follows the journal: returns all its events, and then those that any process appends.
  ///
  /// The sequence ends when the task is canceled or the loop ends. Changes by other processes are
  /// detected at once if the file system reports them, and otherwise within a second.
  package func follow() -> JournalFollowing { JournalFollowing(self) }
}

/// The current and future events of a journal, from the first one on in each iteration.
///
/// No event is returned twice. If the file is replaced, for example by a repair, it is read again
/// from its start, and the remaining events are returned in the order of the new file. A different
/// event with the ID of an earlier one counts as another event. A torn tail isn't returned until it
/// is complete. If the file is removed, the iteration waits for a new one.
///
/// A separate thread reads the disk, up to a thousand events or a megabyte ahead. The memory use is
/// limited to that, even if the loop is slow, plus four bytes for each event returned.
///
/// Iterating throws `noJournal` if there is none at the start, `notAJournal`, `inputOutput`.
package struct JournalFollowing: AsyncSequence, Sendable {
  /// An element of the sequence.
  package enum Element: Sendable {
    /// An event, and the bytes of its line without the LF.
    case event(Event, line: [UInt8])
    /// All events of the file were returned, so that the next event is a new one.
    ///
    /// This element occurs once at the start, and then after each batch of events. It contains the
    /// findings so far, like the result of ``Journal/replay(at:_:)``.
    case caughtUp(ReplayResult)
  }

  private let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  /// Returns an iterator that starts with the first event.
  package func makeAsyncIterator() -> Iterator { Iterator(journal) }

  package struct Iterator: AsyncIteratorProtocol {
    private let core: FollowingCore
    private var changes: AsyncStream<Void>.Iterator
    private var events: ArraySlice<(event: Event, line: [UInt8])> = []
    private var progress = Progress.reading
    private var told: ReplayResult?
    private var hasNews = true

    private enum Progress {
      case reading
      case atEnd(ReplayResult)
      case waiting, over
    }

    init(_ journal: Journal) {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      core = FollowingCore(journal, onChange: continuation)
      changes = stream.makeAsyncIterator()
    }

    /// Waits for the next element.
    package mutating func next() async throws(EventLogError) -> Element? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next element.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(EventLogError) -> Element? {
      while !Task.isCancelled {
        if let (event, line) = events.popFirst() { return .event(event, line: line) }
        switch progress {
        case .over: return nil
        case .atEnd(let result):
          progress = .waiting
          if hasNews || result != told {
            hasNews = false
            told = result
            return .caughtUp(result)
          }
        case .waiting:
          progress = await changes.next(isolation: actor) == nil ? .over : .reading
        case .reading:
          do throws(EventLogError) { try await read() } catch {
            progress = .over
            throw error
          }
        }
      }
      return nil
    }

    private mutating func read() async throws(EventLogError) {
      let (step, result) = try await core.read()
      events = step.events[...]
      if !events.isEmpty { hasNews = true }
      if let result { progress = .atEnd(result) }
    }
  }
}

/// Reads for an iterator on a worker and observes the file.
private final class FollowingCore: Sendable {
  private struct State {
    var follower: JournalFollower
    var observer: FileObserver?
  }

  private let journal: Journal
  private let onChange: AsyncStream<Void>.Continuation
  private let worker = SerialWorker(label: "eventlog.follow")
  private let state: Mutex<State>

  init(_ journal: Journal, onChange: AsyncStream<Void>.Continuation) {
    self.journal = journal
    self.onChange = onChange
    state = Mutex(
      State(follower: JournalFollower(path: journal.path, fileSystem: journal.fileSystem)))
  }

  deinit {
    state.withLock { state in
      state.observer?.cancel()
      state.follower.close()
    }
  }

  /// Returns the next step, with the findings if it reached the end.
  func read() async throws(EventLogError) -> (JournalFollower.Step, ReplayResult?) {
    let result = await withCheckedContinuation { continuation in
      worker.run { [self] in continuation.resume(returning: step()) }
    }
    return try result.get()
  }

  private func step() -> Result<(JournalFollower.Step, ReplayResult?), EventLogError> {
    state.withLock { state in
      if state.observer == nil {
        // Observe the file before the first read, so that no change is missed.
        let onChange = onChange
        state.observer = FileObserver(journal.path, in: journal.fileSystem) { onChange.yield() }
      }
      do throws(EventLogError) {
        let step = try state.follower.next()
        return .success((step, step.isAtEnd ? result(state.follower) : nil))
      } catch {
        return .failure(error)
      }
    }
  }

  private func result(_ follower: JournalFollower) -> ReplayResult {
    ReplayResult(follower.findings, journal.tailProblems(follower.end))
  }
}
