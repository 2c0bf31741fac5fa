import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting

/// Reading from a checkpoint has the same result as reading all lines.
///
/// A checkpoint with changed bytes is refused. A forged one with a valid checksum never traps.
///
/// Input: a line of hex digits, then a journal. The first byte of the digits is the line at which
/// the checkpoint is made. The second one is odd if parts of the checkpoint are changed, and even
/// if its bytes are. Every five bytes after them are a ``Change``.
enum CheckpointTarget {
  static func check(_ input: [UInt8]) async throws {
    let end = input.firstIndex(of: 0x0A) ?? input.count
    let plan = bytes(ofHex: input[..<end])
    let lines = Sections.lines(of: input[end...])
    let cut = plan.isEmpty ? lines.count : Int(plan[0]) % (lines.count + 1)
    // Short journals leave no checkpoint, so this one begins with a long blank line.
    let blank = [UInt8](repeating: 0x20, count: 1 << 16)
    let memory = try MemoryJournal(Sections.text(of: [blank] + lines[..<cut]))
    guard try await leaveCheckpoint(memory) else { return }
    try memory.put(Sections.text(of: lines[cut...]))
    let side = SideFolder(beside: MemoryJournal.path, fileSystem: memory.disk)
    let definition = Fold.definition(.standard)
    guard let sealed = side.readCheckpoint(of: definition, besideBytes: .max) else { return }
    guard let expected = try state(memory.reading(usingCheckpoint: false)) else { return }
    let changes = stride(from: 2, to: plan.count - 4, by: 5).map { Change(plan[$0..<$0 + 5]) }
    if plan.count < 2 || plan[1] % 2 == 0 {
      side.writeCheckpoint(changes.reduce(into: sealed) { $1.apply(to: &$0) }, of: definition)
      let found = try state(memory.reading()) ?? []
      for (found, expected) in zip(found, expected) where found != expected {
        throw Finding("With a checkpoint, the state is another: \(found), not \(expected).")
      }
      try Finding.require(found.count == expected.count, "With a checkpoint, it is no journal.")
    } else {
      var checkpoint = try Checkpoint(sealed: sealed)
      for change in changes { change.apply(to: &checkpoint) }
      side.writeCheckpoint(checkpoint.sealed, of: definition)
      try await use(memory)
    }
    try Finding.require(
      try state(memory.reading(usingCheckpoint: false)) != nil, "The journal is none any more.")
  }

  /// A change to some bytes.
  private struct Change {
    let part: Int
    let offset: Int
    let sort: UInt8
    let value: UInt8

    /// Reads a change from five bytes.
    init(_ bytes: ArraySlice<UInt8>) {
      let bytes = Array(bytes)
      (part, sort, value) = (Int(bytes[0]), bytes[3], bytes[4])
      offset = Int(bytes[1]) << 8 | Int(bytes[2])
    }

    func apply(to checkpoint: inout Checkpoint) {
      let names = checkpoint.parts.keys.sorted()
      let name = names[part % names.count]
      var bytes = Array(checkpoint.parts[name]!)
      apply(to: &bytes)
      checkpoint.parts[name] = bytes[...]
    }

    func apply(to bytes: inout [UInt8]) {
      if bytes.isEmpty { return }
      let offset = offset % bytes.count
      let length = min(bytes.count - offset, 1 + Int(value) % 16)
      switch sort % 8 {
      case 0: bytes[offset] = value
      case 1: bytes[offset] ^= 1 << (value % 8)
      case 2: bytes[offset] &+= 1
      case 3: bytes[offset] &-= 1
      case 4: bytes.removeSubrange(offset..<offset + length)
      case 5: bytes.insert(contentsOf: bytes[offset..<offset + length], at: offset)
      case 6: for index in offset..<offset + length { bytes[index] = 0xFF }
      default: bytes.swapAt(offset, Int(value) % bytes.count)
      }
    }
  }

  /// Returns the compared parts of a state, or nil if the file isn't a journal.
  private static func state(_ journal: Journal) throws -> [String]? {
    do throws(EventLogError) {
      let state = try journal.snapshot().snapshot
      return [
        String(decoding: state.json(), as: UTF8.self), "\(state.frontier)", "\(state.damage)",
      ]
    } catch {
      guard error.code == .notAJournal || error.code == .userNeeded else { throw error }
      return nil
    }
  }

  /// Opens and closes a store, which leaves a checkpoint, and returns whether there is a journal.
  private static func leaveCheckpoint(_ memory: MemoryJournal) async throws -> Bool {
    let store = memory.store()
    do throws(EventLogError) {
      try await store.refresh()
      try await store.close()
      return true
    } catch {
      guard error.code == .notAJournal || error.code == .userNeeded else { throw error }
      return false
    }
  }

  /// Uses a journal with a forged checkpoint in every way.
  private static func use(_ memory: MemoryJournal) async throws {
    let kept = try memory.keptBytes()
    if let state = try? memory.reading().snapshot().snapshot {
      _ = state.json()
      _ = state.conflicts
    }
    _ = try? memory.reading().status()
    let store = try? await EventStore.open(
      path: MemoryJournal.path, options: memory.options(), catalog: .standard)
    _ = try? await store?.append([
      EventDraft(type: "settings.changed", data: ["theme": "dark"])
    ])
    try? await store?.close()
    try Finding.require(memory.bytes.starts(with: kept), "What stood in the journal has changed.")
  }

  private static func bytes(ofHex digits: ArraySlice<UInt8>) -> [UInt8] {
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: values.count - 1, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
  }
}
