// What a power loss can leave of one file: pure values, no disk.

/// A file's durable bytes, and what was done to it since.
struct FileHistory {
  /// How sure it is that a change's bytes are on the device.
  enum Standing {
    /// Not synced yet.
    case pending
    /// A sync failed: the system may have dropped the bytes, and a later sync says nothing of them.
    case doubtful
    /// Synced, but standing after a doubtful change, so not yet part of ``durable``.
    case certain
  }

  /// One call that changed the file.
  struct Change {
    enum Action {
      case write(offset: Int, bytes: [UInt8])
      case truncate(size: Int)
    }

    let action: Action
    var standing = Standing.pending
    /// Sizes are the file system's own records: a sync that succeeds settles all of them.
    var isSizeDurable = false
  }

  /// What is on the device for certain, but for the changes.
  private(set) var durable: [UInt8]

  /// What was done since, oldest first.
  private(set) var changes: [Change] = []

  /// Begins with bytes that were there before anyone looked.
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

  /// Notes that a sync succeeded.
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

  /// Notes that a sync failed.
  mutating func didFailToSync() {
    for index in changes.indices where changes[index].standing == .pending {
      changes[index].standing = .doubtful
    }
  }

  /// A doubtful write whose place was written again by one certain write is in doubt no more.
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
  /// Does to the bytes what the call did to the file.
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
  /// Puts bytes at an offset; what it grows by before them is zeros.
  mutating func overwrite(from offset: Int, with bytes: ArraySlice<UInt8>) {
    let end = offset + bytes.count
    if count < end { resize(to: end) }
    withUnsafeMutableBytes { file in
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: file[offset..<end]).copyMemory(from: bytes)
      }
    }
  }

  /// Cuts, or grows by zeros.
  mutating func resize(to size: Int) {
    if count > size {
      removeLast(count - size)
    } else {
      append(contentsOf: Self(repeating: 0, count: size - count))
    }
  }
}
