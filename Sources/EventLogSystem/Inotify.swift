#if !canImport(Darwin)
  import Dispatch
  import Synchronization

  /// Watches each name in its folder, and all names in the folder to which the path leads.
  func systemArms(
    _ watched: [WatchedName], path: String,
    _ onNotice: @escaping @Sendable (_ mustArm: Bool) -> Void
  ) throws(Errno) -> [any FileWatch] {
    var arms: [any FileWatch] = []
    // After a failure, the previous arms end with their last references.
    for watchedName in watched { arms.append(try Inotify.shared.arm(watchedName, onNotice)) }
    if (try? SystemFileSystem().status(at: path))?.kind == .folder {
      // Changes to the folder's own name are reported by the arm of that name.
      let names = try Inotify.shared.arm(WatchedName(allOf: path)) { _ in onNotice(false) }
      arms.append(names)
    }
    return arms
  }

  /// The inotify queue of this process.
  ///
  /// All watches share it, because by default a user has at most 128 over all processes. It exists
  /// while anything is watched.
  final class Inotify: Sendable {
    static let shared = Inotify()

    private struct Listener {
      /// Empty for every name.
      let name: [UInt8]
      let onNotice: @Sendable (_ mustArm: Bool) -> Void
    }

    private struct State {
      var source: RunningSource?
      var file: CInt = -1
      /// Identifies the source, so that late events of an earlier one are ignored.
      var generation = 0
      var nextToken = 0
      /// The listeners of each watched folder.
      var listeners: [CInt: [Int: Listener]] = [:]
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "eventlog.inotify")

    /// The pause after each read. Without it, a process that appends often would wake two of its
    /// threads for each of its own writes.
    private static let pause = DispatchTimeInterval.milliseconds(10)

    /// Watches one name until the arm is canceled.
    func arm(
      _ watchedName: WatchedName, _ onNotice: @escaping @Sendable (_ mustArm: Bool) -> Void
    ) throws(Errno) -> InotifyArm {
      if try systemIsShared(watchedName.folder) { throw .notSupported }
      return try state.withLock { (state) throws(Errno) in
        if state.source == nil { try open(&state) }
        defer { closeIfUnused(&state) }
        let watch = try systemAddInotify(state.file, folder: watchedName.folder)
        state.nextToken += 1
        state.listeners[watch, default: [:]][state.nextToken] = Listener(
          name: Array(watchedName.name.utf8), onNotice: onNotice)
        return InotifyArm(watch: watch, token: state.nextToken)
      }
    }

    fileprivate func remove(_ watch: CInt, _ token: Int) {
      // Release the listener outside the lock, because that may end other watches.
      let listener = state.withLock { state in
        let listener = state.listeners[watch]?.removeValue(forKey: token)
        if state.listeners[watch]?.isEmpty == true {
          state.listeners[watch] = nil
          systemRemoveInotify(state.file, watch)
        }
        closeIfUnused(&state)
        return listener
      }
      _ = listener
    }

    private func open(_ state: inout State) throws(Errno) {
      let file = try systemMakeInotify()
      let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
      state.generation += 1
      let generation = state.generation
      source.setEventHandler {
        self.read(file, generation)
        self.running(generation)?.pause(Self.pause, on: self.queue)
      }
      source.setCancelHandler { systemClose(file) }
      state.source = RunningSource(source)
      state.file = file
    }

    private func running(_ generation: Int) -> RunningSource? {
      state.withLock { $0.generation == generation ? $0.source : nil }
    }

    private func closeIfUnused(_ state: inout State) {
      guard state.listeners.isEmpty else { return }
      // Releasing the source cancels it, which also closes the file.
      state.source = nil
    }

    private func read(_ file: CInt, _ generation: Int) {
      while true {
        let events = InotifyEvent.read(systemReadInotify(file))
        if events.isEmpty { return }
        take(events, of: generation)
      }
    }

    /// Delivers events to their listeners; nil accepts events of any source.
    func take(_ events: [InotifyEvent], of generation: Int? = nil) {
      for (onNotice, mustArm) in notices(of: events, generation) { onNotice(mustArm) }
    }

    /// The listeners to call, and whether they must arm again.
    private func notices(
      of events: [InotifyEvent], _ generation: Int?
    ) -> [(@Sendable (Bool) -> Void, Bool)] {
      state.withLock { state in
        // A later source reuses the numbers of watches.
        guard generation == nil || generation == state.generation else { return [] }
        var notices: [Int: (@Sendable (Bool) -> Void, Bool)] = [:]
        func note(_ listeners: [Int: Listener]?, _ event: InotifyEvent) {
          for (token, listener) in listeners ?? [:] {
            guard
              event.isOverflow || event.isOfFolder || listener.name.isEmpty
                || listener.name == event.name
            else { continue }
            let mustArm = !event.isOfBytes || notices[token]?.1 == true
            notices[token] = (listener.onNotice, mustArm)
          }
        }
        for event in events {
          if event.isOverflow {
            for listeners in state.listeners.values { note(listeners, event) }
          } else {
            note(state.listeners[event.watch], event)
          }
          if event.endsWatch { state.listeners[event.watch] = nil }
        }
        return Array(notices.values)
      }
    }
  }

  /// The watch of one name.
  final class InotifyArm: FileWatch {
    private let watch: CInt
    private let token: Int

    init(watch: CInt, token: Int) {
      self.watch = watch
      self.token = token
    }

    deinit { cancel() }

    func cancel() { Inotify.shared.remove(watch, token) }
  }
#endif
