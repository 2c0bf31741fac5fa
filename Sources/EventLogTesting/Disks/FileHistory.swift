// The state of one file that a power loss may change: pure values, no disk.

/// A file's durable bytes and its later changes.
struct FileHistory {
  /// Whether a change's bytes are on the device.
  enum Standing {
    /// Not synced yet.
    case pending
    /// A sync failed: the system may have dropped the bytes, even if a later sync succeeds.
    case doubtful
    /// Synced, but after a doubtful change, so not yet part of ``durable``.
    case certain
  }

  /// One write or truncation.
  struct Change {
    enum Action {
      case write(offset: Int, bytes: [UInt8])
      case truncate(size: Int)
    }

    let action: Action
    var standing = Standing.pending
    /// True after any successful sync, even if the bytes are in doubt: sizes are metadata.
    var isSizeDurable = false
  }

  /// The bytes that are certainly on the device, before ``changes``.
  private(set) var durable: [UInt8]

  /// The changes to ``durable``, oldest first.
  private(set) var changes: [Change] = []

  /// Starts with the bytes that the file had when tracking began.
  init(durable: [UInt8]) {
    self.durable = durable
  }

  mutating func write(_ bytes: [UInt8], at offset: Int) {
    guard !bytes.isEmpty else { return }
    changes.append(Change(action: .write(offset: offset, bytes: bytes)))
  }

  mutating func truncate(to size: Int) {
    changes.append(Change(action: .truncate(size: size)))
  }

  /// Records a successful sync.
  mutating func didSync() {
    for index in changes.indices {
      changes[index].isSizeDurable = true
      let isTruncation = if case .truncate = changes[index].action { true } else { false }
      if changes[index].standing == .pending || isTruncation {
        changes[index].standing = .certain
      }
    }
    settleRewrittenChanges()
    let certain = changes.prefix { $0.standing == .certain }
    for change in certain { change.action.apply(to: &durable) }
    changes.removeFirst(certain.count)
  }

  /// Records a failed sync.
  mutating func didFailToSync() {
    for index in changes.indices where changes[index].standing == .pending {
      changes[index].standing = .doubtful
    }
  }

  /// Makes doubtful writes certain if one certain write has overwritten all their bytes.
  private mutating func settleRewrittenChanges() {
    for index in changes.indices where changes[index].standing == .doubtful {
      guard case .write(let offset, let bytes) = changes[index].action else { continue }
      let isRewritten = changes[(index + 1)...].contains { later in
        guard later.standing == .certain, case .write(let start, let new) = later.action else {
          return false
        }
        return start <= offset && offset + bytes.count <= start + new.count
      }
      if isRewritten { changes[index].standing = .certain }
    }
  }
}

extension FileHistory.Change.Action {
  /// Applies the change to the bytes.
  func apply(to file: inout [UInt8]) {
    switch self {
    case .write(let offset, let bytes):
      file.overwrite(from: offset, with: bytes[...])
    case .truncate(let size):
      file.resize(to: size)
    }
  }
}

extension [UInt8] {
  /// Overwrites bytes from an offset, after filling any gap before it with zeros.
  mutating func overwrite(from offset: Int, with bytes: ArraySlice<UInt8>) {
    let end = offset + bytes.count
    if count < end { resize(to: end) }
    withUnsafeMutableBytes { file in
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: file[offset..<end]).copyMemory(from: bytes)
      }
    }
  }

  /// Truncates the bytes, or extends them with zeros.
  mutating func resize(to size: Int) {
    if count > size {
      removeLast(count - size)
    } else {
      append(contentsOf: Self(repeating: 0, count: size - count))
    }
  }
}
