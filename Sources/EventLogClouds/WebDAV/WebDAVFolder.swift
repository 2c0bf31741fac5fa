import EventLog
import Synchronization

/// What the requests so far have shown of a folder.
final class WebDAVFolder: Sendable {
  /// How an object gets its name.
  enum Naming: Sendable {
    /// By a `MOVE`, of which none was seen to arrive in the folder yet.
    case unprovenMove
    case move
    /// By a `PUT`, because the server doesn't move files within the folder.
    case put
  }

  private struct State {
    var naming = Naming.unprovenMove
    var isListed = false
    var isSilent = false
    var isMissing = false
    /// Those of interrupted puts that were listed.
    var leftOvers: [String] = []
    /// Those of this process.
    var unfinished: [String] = []
    var leftOut = LeftOutEntries()
  }

  /// The age in milliseconds, by the server's clock, from which on a temporary file is removed: a
  /// put takes minutes.
  private static let leftOverAge: Int64 = 24 * 3_600_000
  /// How many are removed in a run.
  private static let leftOversMax = 16

  private let state = Mutex(State())

  var naming: Naming { state.withLock(\.naming) }
  /// Whether anything is known of the folder.
  var isListed: Bool { state.withLock(\.isListed) }
  /// Whether the folder has to be created first.
  var isMissing: Bool { state.withLock(\.isMissing) }
  /// What the last listing contained besides files.
  var leftOut: LeftOutEntries { state.withLock(\.leftOut) }

  /// - Parameters:
  ///   - listing: Nil if the folder doesn't exist.
  ///   - now: The server's time, by which it also states when a file was changed.
  func note(_ listing: WebDAVListing?, at now: Timestamp?) {
    state.withLock { state in
      (state.isListed, state.isSilent) = (true, false)
      state.isMissing = listing == nil
      state.leftOut = listing?.leftOut ?? LeftOutEntries()
      // A destination that a proxy doesn't translate may be another folder.
      if listing?.isElsewhere ?? false { state.naming = .put }
      guard let now else { return }
      let old = listing?.temporaries.filter {
        $0.modified.milliseconds < now.milliseconds - Self.leftOverAge
      }
      state.leftOvers = old?.prefix(Self.leftOversMax).map(\.name) ?? []
    }
  }

  /// Whether the server has not answered since the last listing, so that further requests could
  /// take as long.
  var isSilent: Bool { state.withLock(\.isSilent) }

  func noteSilence() { state.withLock { $0.isSilent = true } }

  func noteCreated() { state.withLock { $0.isMissing = false } }

  func name(by naming: Naming) { state.withLock { $0.naming = naming } }

  /// Has a temporary file removed later that could not be removed now.
  func leave(_ name: String) {
    state.withLock { state in
      // Those that don't fit are removed when they are a day old.
      if state.unfinished.count < Self.leftOversMax { state.unfinished.append(name) }
    }
  }

  /// The names of the files to be removed, once.
  func takeLeftOvers() -> [String] {
    state.withLock { state in
      defer { (state.leftOvers, state.unfinished) = ([], []) }
      return state.unfinished + state.leftOvers
    }
  }
}
