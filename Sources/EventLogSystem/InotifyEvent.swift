#if !canImport(Darwin)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// One `struct inotify_event`.
  struct InotifyEvent: Equatable {
    /// The number of the folder's watch; -1 for an overflow.
    let watch: CInt
    let mask: UInt32
    /// The name in the folder; empty if the event concerns the folder itself.
    let name: [UInt8]

    /// The events to request.
    static let wanted =
      UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
      | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// The queue overflowed, and unknown events were dropped.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
    /// The watch is gone, because its folder is gone.
    var endsWatch: Bool { mask & UInt32(IN_IGNORED) != 0 }
    /// The folder itself is gone or was renamed.
    var isOfFolder: Bool {
      mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0
    }
    /// Only bytes of the file changed, not a name.
    var isOfBytes: Bool { mask & UInt32(IN_MODIFY) != 0 }

    /// Parses the events in a buffer, up to the first incomplete one.
    static func read(_ bytes: [UInt8]) -> [InotifyEvent] {
      var events: [InotifyEvent] = []
      var start = 0
      bytes.withUnsafeBytes { buffer in
        while buffer.count - start >= headBytes {
          let length = Int(buffer.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
          let end = start + headBytes + length
          guard end <= buffer.count else { return }
          events.append(
            InotifyEvent(
              watch: buffer.loadUnaligned(fromByteOffset: start, as: CInt.self),
              mask: buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
              name: Array(buffer[(start + headBytes)..<end].prefix { $0 != 0 })))
          start = end
        }
      }
      return events
    }

    private static let headBytes = 16
  }
#endif
