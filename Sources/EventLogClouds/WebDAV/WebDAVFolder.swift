import EventLog
import Synchronization

/// The state of a folder, as observed by the requests so far.
final class WebDAVFolder: Sendable {
  /// The method that gives an object its name.
  enum Naming: Sendable {
    /// A `MOVE`, not yet proven to end in this folder.
    case unprovenMove
    case move
    /// A `PUT`, because the server doesn't move files within the folder.
    case put
  }

  private struct State {
    var naming = Naming.unprovenMove
    var isListed = false
    var isMissing = false
    /// The listed temporary files of interrupted puts.
    var leftOvers: [String] = []
    /// The temporary files that this process couldn't remove.
    var unfinished: [String] = []
  }

  /// The age in milliseconds, by the server's clock, at which a temporary file is removed.
  ///
  /// A put takes minutes.
  private static let leftOverAge: Int64 = 24 * 3_600_000
  /// The maximum number of temporary files of each kind to remove at a time.
  private static let leftOversMax = 16

  private let state = Mutex(State())

  var naming: Naming { state.withLock(\.naming) }
  /// Whether the folder has been listed.
  var isListed: Bool { state.withLock(\.isListed) }
  /// Whether the folder has to be created first.
  var isMissing: Bool { state.withLock(\.isMissing) }

  /// - Parameters:
  ///   - listing: Nil if the folder doesn't exist.
  ///   - now: The server's time, by the same clock as the modification times.
  func note(_ listing: WebDAVListing?, at now: Timestamp?) {
    state.withLock { state in
      state.isListed = true
      state.isMissing = listing == nil
      // If a proxy rewrites paths, but no `Destination`, a move may end in another folder.
      if listing?.isElsewhere ?? false { state.naming = .put }
      guard let now else { return }
      let old = listing?.temporaries.filter {
        $0.modified.milliseconds < now.milliseconds - Self.leftOverAge
      }
      state.leftOvers = old?.prefix(Self.leftOversMax).map(\.name) ?? []
    }
  }

  func noteCreated() { state.withLock { $0.isMissing = false } }

  func name(by naming: Naming) { state.withLock { $0.naming = naming } }

  /// Remembers a temporary file that couldn't be removed, to remove it later.
  func leave(_ name: String) {
    state.withLock { state in
      // Further files are removed when they are a day old.
      if state.unfinished.count < Self.leftOversMax { state.unfinished.append(name) }
    }
  }

  /// Returns and clears the names of the files to remove.
  func takeLeftOvers() -> [String] {
    state.withLock { state in
      defer { (state.leftOvers, state.unfinished) = ([], []) }
      return state.unfinished + state.leftOvers
    }
  }
}
