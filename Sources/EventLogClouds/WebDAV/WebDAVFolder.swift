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
    var staleFiles: [String] = []
    /// The temporary files that this process couldn't remove.
    var undeletedFiles: [String] = []
  }

  /// The age in milliseconds, by the server's clock, at which a temporary file is removed.
  ///
  /// A put takes minutes.
  private static let staleAge: Int64 = 24 * 3_600_000
  /// The maximum number of temporary files of each kind to remove at a time.
  private static let removalsMax = 16

  private let state = Mutex(State())

  var naming: Naming { state.withLock(\.naming) }
  /// Whether the folder has been listed.
  var isListed: Bool { state.withLock(\.isListed) }
  /// Whether the folder has to be created first.
  var isMissing: Bool { state.withLock(\.isMissing) }

  /// - Parameters:
  ///   - listing: Nil if the folder doesn't exist.
  ///   - now: The server's time, by the same clock as the modification times.
  func update(_ listing: WebDAVListing?, at now: Timestamp?) {
    state.withLock { state in
      state.isListed = true
      state.isMissing = listing == nil
      // If a proxy rewrites paths, but no `Destination`, a move may end in another folder.
      if listing?.hasOtherPath ?? false { state.naming = .put }
      guard let now else { return }
      let old = listing?.temporaries.filter {
        $0.modified.milliseconds < now.milliseconds - Self.staleAge
      }
      state.staleFiles = old?.prefix(Self.removalsMax).map(\.name) ?? []
    }
  }

  func markCreated() { state.withLock { $0.isMissing = false } }

  func setNaming(_ naming: Naming) { state.withLock { $0.naming = naming } }

  /// Remembers a temporary file that couldn't be removed, to remove it later.
  func scheduleRemoval(of name: String) {
    state.withLock { state in
      // Further files are removed when they are a day old.
      if state.undeletedFiles.count < Self.removalsMax { state.undeletedFiles.append(name) }
    }
  }

  /// Returns and clears the names of the files to remove.
  func takeFilesToRemove() -> [String] {
    state.withLock { state in
      defer { (state.staleFiles, state.undeletedFiles) = ([], []) }
      return state.undeletedFiles + state.staleFiles
    }
  }
}
