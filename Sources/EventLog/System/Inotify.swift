// Watching on Linux.

#if !canImport(Darwin)
  import Dispatch
  import Synchronization

  /// Watches the folder of each place, and all names of a folder to which the path leads.
  func systemArms(
    _ places: [FilePlace], path: String,
    _ onNotice: @escaping @Sendable (_ mustArm: Bool) -> Void
  ) throws(Errno) -> [any FileWatch] {
    var arms: [any FileWatch] = []
    // Arms that are let go of on a failure end by themselves.
    for place in places { arms.append(try Inotify.shared.arm(place, onNotice)) }
    if (try? SystemFileSystem().status(at: path))?.kind == .folder {
      // Where the folder itself goes or comes, the place of its own name tells.
      let names = try Inotify.shared.arm(FilePlace(allOf: path)) { _ in onNotice(false) }
      arms.append(names)
    }
    return arms
  }

  /// The one queue on which Linux tells this process of changes.
  ///
  /// There is one for all watches, because a user has no more than 128 of them by default, over all
  /// processes. It is there while anything is watched.
  final class Inotify: Sendable {
    static let shared = Inotify()

    private struct Listener {
      /// Empty: every name.
      let name: [UInt8]
      let onNotice: @Sendable (_ mustArm: Bool) -> Void
    }

    private struct State {
      var source: RunningSource?
      var file: CInt = -1
      /// Which source it is: what an earlier one still says is of no interest.
      var generation = 0
      var nextToken = 0
      /// Who listens to which watch of a folder.
      var listeners: [CInt: [Int: Listener]] = [:]
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "eventlog.inotify")

    /// How long nothing is read after a reading: a process that appends often would else wake two
    /// of its threads for each of its own writes.
    private static let pause = DispatchTimeInterval.milliseconds(10)

    /// Watches one place until the arm is cancelled.
    func arm(
      _ place: FilePlace, _ onNotice: @escaping @Sendable (_ mustArm: Bool) -> Void
    ) throws(Errno) -> InotifyArm {
      if try systemIsShared(place.folder) { throw .notSupported }
      return try state.withLock { (state) throws(Errno) in
        if state.source == nil { try open(&state) }
        defer { closeIfUnused(&state) }
        let watch = try systemAddInotify(state.file, folder: place.folder)
        state.nextToken += 1
        state.listeners[watch, default: [:]][state.nextToken] = Listener(
          name: Array(place.name.utf8), onNotice: onNotice)
        return InotifyArm(watch: watch, token: state.nextToken)
      }
    }

    fileprivate func remove(_ watch: CInt, _ token: Int) {
      // A listener may own what its end ends: it is let go of outside.
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
      // Cancelled by its end, which also closes the file.
      state.source = nil
    }

    private func read(_ file: CInt, _ generation: Int) {
      while true {
        let events = InotifyEvent.read(systemReadInotify(file))
        if events.isEmpty { return }
        take(events, of: generation)
      }
    }

    /// Tells of events whoever listens; nil: whichever source they came from.
    func take(_ events: [InotifyEvent], of generation: Int? = nil) {
      for (onNotice, mustArm) in notices(of: events, generation) { onNotice(mustArm) }
    }

    /// Who has to be told what.
    private func notices(
      of events: [InotifyEvent], _ generation: Int?
    ) -> [(@Sendable (Bool) -> Void, Bool)] {
      state.withLock { state in
        // The watches of a later source have the same numbers.
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

  /// One place that is watched.
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
