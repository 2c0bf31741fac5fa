import EventLog
import Synchronization

/// The state of a folder, as observed by earlier requests.
final class WebDAVFolder: Sendable {
  /// The method by which an object gets its name.
  enum Naming: Sendable {
    /// A `MOVE` that isn't yet known to stay in this folder.
    case unprovenMove
    case move
    /// A `PUT`, because the server can't move files within the folder.
    case put
  }

  private struct State {
    var naming = Naming.unprovenMove
    var isListed = false
    var isMissing = false
    /// The old temporary files in the last listing, which interrupted puts have left.
    var staleFiles: [String] = []
    /// The temporary files that this process failed to remove.
    var undeletedFiles: [String] = []
  }

  /// The age at which a temporary file is removed, in milliseconds of the server's clock.
  ///
  /// A put takes minutes at most.
  private static let staleAge: Int64 = 24 * 3_600_000
  /// The maximum number of temporary files of each kind to remove at once.
  private static let removalsMax = 16

  private let state = Mutex(State())

  var naming: Naming { state.withLock(\.naming) }
  /// Whether the folder has been listed.
  var isListed: Bool { state.withLock(\.isListed) }
  /// Whether the folder must be created before a put.
  var isMissing: Bool { state.withLock(\.isMissing) }

  /// - Parameters:
  ///   - listing: The new listing, or nil if the folder doesn't exist.
  ///   - now: The server's time, by the same clock as the modification times.
  func update(_ listing: WebDAVListing?, at now: Timestamp?) {
    state.withLock { state in
      state.isListed = true
      state.isMissing = listing == nil
      // If a proxy rewrites paths but not the `Destination`, files may be moved to another folder.
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

  /// Adds a temporary file to those that the next put removes.
  func scheduleRemoval(of name: String) {
    state.withLock { state in
      // Any others are removed when they are a day old.
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
