package import EventLog
import Synchronization

extension Journal {
  /// Follows the journal: every event it holds, and then those that are appended, by whichever
  /// process, as they come.
  ///
  /// It ends when the task is cancelled, or the loop is left. Other processes are noticed at once
  /// where the file system tells of changes, else within a second.
  package func follow() -> JournalFollowing { JournalFollowing(self) }
}

/// A journal that is being followed; each iteration begins anew.
///
/// No event is handed over twice. Where the file is replaced, as by a repair, it is read again from
/// its beginning, and what was not handed over yet is, in the new file's order; an event that has
/// come under the ID of a different one is another event. A doubtful end is not handed over until
/// it is whole. A file that is removed is waited for.
///
/// The disk is read on a thread of its own, a thousand events or a megabyte ahead. Memory: that
/// much however slow the loop is, and four bytes for each event handed over.
///
/// Iterating throws `noJournal` if there is none at the beginning, `notAJournal`, `inputOutput`.
package struct JournalFollowing: AsyncSequence, Sendable {
  /// What comes next.
  package enum Element: Sendable {
    /// An event, and its line's bytes without the LF.
    case event(Event, line: [UInt8])
    /// All that the file holds was handed over; the next event is one that somebody appends.
    ///
    /// Comes once at the beginning, and then after each batch of events. It tells what was found
    /// besides events so far, as ``Journal/replay(_:)`` does at its end.
    case caughtUp(ReplayResult)
  }

  private let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  /// Begins with the first event.
  package func makeAsyncIterator() -> Iterator { Iterator(journal) }

  /// Hands over one element after the other.
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

    /// Waits for the next event.
    package mutating func next() async throws(EventLogError) -> Element? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next event.
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

/// Reads for an iterator, on a worker, and has the file observed.
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

  /// The next step; with what was found besides events, if it reached the end.
  func read() async throws(EventLogError) -> (JournalFollower.Step, ReplayResult?) {
    let result = await withCheckedContinuation { continuation in
      worker.run { [self] in continuation.resume(returning: step()) }
    }
    return try result.get()
  }

  private func step() -> Result<(JournalFollower.Step, ReplayResult?), EventLogError> {
    state.withLock { state in
      if state.observer == nil {
        // Before the first look, so that no change falls between.
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
