// The erased lines that are about to be written in place: a crash can't leave half a line.

extension SideFolder {
  private var overwritesPath: String { Path.join(path, "overwrites.json") }
  private static let overwritesBytesMax = 64 << 20

  /// The lines of an interrupted overwriting, by their offsets in the journal.
  package var overwrites: [Int64: [UInt8]] {
    guard
      let bytes = try? fileSystem.contents(
        ofFile: overwritesPath, maximumBytes: Self.overwritesBytesMax),
      case .object(let object)? = try? JSONValue(parsing: bytes),
      case .array(let values)? = object["lines"]
    else { return [:] }
    var lines: [Int64: [UInt8]] = [:]
    for case .object(let line) in values {
      guard case .number(let byte)? = line["byte"], let offset = byte.integer,
        case .string(let text)? = line["line"]
      else { continue }
      lines[offset] = Array(text.utf8)
    }
    return lines
  }

  /// Records the lines durably, before they are written.
  func record(overwrites: [Int64: [UInt8]]) throws(EventLogError) {
    let lines = overwrites.sorted { $0.key < $1.key }.map { offset, line -> JSONValue in
      [
        "byte": .number(JSONNumber(offset)),
        "line": .string(String(decoding: line, as: UTF8.self)),
      ]
    }
    try replace(overwritesPath, with: ["lines": .array(lines)])
  }

  /// Removes the record after the lines were written durably.
  func removeOverwrites() { try? fileSystem.remove(overwritesPath) }

  /// Removes the quarantined bytes that contain one of some events.
  func removeQuarantined(_ events: Set<FullEventID>) {
    let starts = events.map { Array("{\"id\":\"\($0.shortID)\"".utf8) }
    for name in (try? quarantined) ?? [] {
      let file = Path.join(Path.join(path, "quarantine"), name)
      guard let bytes = try? fileSystem.contents(ofFile: file, maximumBytes: 1 << 30),
        starts.contains(where: { bytes.firstRange(of: $0) != nil })
      else { continue }
      try? fileSystem.remove(file)
    }
  }
}
