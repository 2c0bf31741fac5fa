import EventLog

/// A program or library on this machine, by the identifier that its linker gave it.
struct ProgramImage {
  let path: String
  /// The address in the file that offsets are relative to.
  let base: UInt64

  private static let filesMax = 20_000
  private static let headBytes = 1 << 16

  /// Finds the files in a folder and its subfolders that have one of the identifiers.
  static func find(in folder: String, identifiers: Set<String>) -> [String: ProgramImage] {
    let disk = SystemFileSystem()
    var found: [String: ProgramImage] = [:]
    // A link may lead back to a folder above.
    var seen: Set<[UInt64]> = []
    var (folders, fileCount) = ([folder], 0)
    while let folder = folders.popLast(), fileCount < filesMax, found.count < identifiers.count {
      for name in (try? disk.contents(of: folder)) ?? [] {
        let path = Path.join(folder, name)
        guard let status = try? disk.status(at: path) else { continue }
        if status.kind == .folder {
          if seen.insert([status.device, status.inode]).inserted { folders.append(path) }
        } else if status.kind == .regular, status.size > 64 {
          fileCount += 1
          guard let (identifier, base) = read(path, disk), identifiers.contains(identifier),
            found[identifier] == nil
          else { continue }
          found[identifier] = ProgramImage(path: path, base: base)
        }
      }
    }
    return found
  }

  /// Returns a file's identifier, or nil if it is no program or has none.
  private static func read(
    _ path: String, _ disk: SystemFileSystem
  ) -> (identifier: String, base: UInt64)? {
    guard let file = try? disk.open(path, .read) else { return nil }
    defer { disk.close(file) }
    guard let head = try? disk.readBytes(file, at: 0, count: headBytes) else { return nil }
    let bytes = LittleEndianBytes(head)
    if head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) {
      return buildID(bytes) { offset, count in
        LittleEndianBytes((try? disk.readBytes(file, at: offset, count: count)) ?? [])
      }.map { ($0, 0) }
    }
    return bytes.integer(0, 4) == 0xFEED_FACF ? uuid(bytes) : nil
  }

  // MARK: - ELF

  private static func buildID(
    _ head: LittleEndianBytes, _ read: (Int64, Int) -> LittleEndianBytes
  ) -> String? {
    guard let table = head.integer(32, 8), let size = head.integer(54, 2),
      let count = head.integer(56, 2)
    else { return nil }
    for index in 0..<count {
      guard let start = Int(exactly: table).map({ $0 &+ Int(index * size) }), start >= 0 else {
        return nil
      }
      guard head.integer(start, 4) == 4, let offset = head.integer(start + 8, 8),
        let length = head.integer(start + 32, 8), length <= 1 << 16,
        let position = Int64(exactly: offset)
      else { continue }
      if let identifier = buildID(inNotes: read(position, Int(length))) { return identifier }
    }
    return nil
  }

  private static func buildID(inNotes notes: LittleEndianBytes) -> String? {
    var offset = 0
    while let nameBytes = notes.integer(offset, 4), let contentBytes = notes.integer(offset + 4, 4),
      let type = notes.integer(offset + 8, 4), nameBytes < 1 << 16, contentBytes < 1 << 16
    {
      let content = offset + 12 + (Int(nameBytes) + 3) / 4 * 4
      if type == 3, nameBytes == 4, notes.integer(offset + 12, 4) == 0x55_4E47 {
        return notes.hex(content, min(Int(contentBytes), 20))
      }
      offset = content + (Int(contentBytes) + 3) / 4 * 4
    }
    return nil
  }

  // MARK: - Mach-O

  private static func uuid(_ head: LittleEndianBytes) -> (identifier: String, base: UInt64)? {
    var (offset, identifier, base) = (32, String?.none, UInt64(0))
    for _ in 0..<min(head.integer(16, 4) ?? 0, 4096) {
      guard let command = head.integer(offset, 4), let size = head.integer(offset + 4, 4),
        size >= 8, size < 1 << 16
      else { break }
      if command == 0x1B { identifier = head.hex(offset + 8, 16) }
      // The segment __TEXT.
      if command == 0x19, head.integer(offset + 8, 6) == 0x5458_4554_5F5F {
        base = head.integer(offset + 24, 8) ?? 0
      }
      offset += Int(size)
    }
    return identifier.map { ($0, base) }
  }
}

/// Bytes of a file whose numbers are little-endian.
private struct LittleEndianBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number at an offset, or nil if it isn't in the bytes.
  func integer(_ offset: Int, _ count: Int) -> UInt64? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  func hex(_ offset: Int, _ count: Int) -> String? {
    guard offset >= 0, count > 0, offset <= bytes.count - count else { return nil }
    return bytes[offset..<(offset + count)].map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
