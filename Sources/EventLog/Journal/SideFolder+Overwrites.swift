// The erased lines that are about to be written in place: a crash can't leave half a line.

extension SideFolder {
  private var overwritesPath: String { Path.join(path, "overwrites.json") }

  /// The lines of an interrupted overwriting, by their offsets in the journal.
  package var overwrites: [Int64: [UInt8]] {
    guard let bytes = try? fileSystem.contents(ofFile: overwritesPath, maximumBytes: 64 << 20),
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

  private var countsPath: String { Path.join(path, "erasures.json") }

  /// The number of erased events that a person has agreed to overwrite, the number of statements
  /// that the checkpoints in the cache must know, 1 while lines are kept until a person agrees, and
  /// the number of erased events that were removed from quarantine.
  package var erasureCounts: (agreed: Int, known: Int, kept: Int, named: Int) {
    guard let bytes = try? fileSystem.contents(ofFile: countsPath, maximumBytes: 4096),
      case .object(let object)? = try? JSONValue(parsing: bytes)
    else { return (0, 0, 0, 0) }
    func count(_ name: String) -> Int {
      if case .number(let number)? = object[name] { Int(number.integer ?? 0) } else { 0 }
    }
    return (count("agreed"), count("known"), count("kept"), count("named"))
  }

  package func record(
    erasureCounts counts: (agreed: Int, known: Int, kept: Int, named: Int)
  ) throws(EventLogError) {
    func number(_ count: Int) -> JSONValue { .number(JSONNumber(Int64(count))) }
    try replace(
      countsPath,
      with: [
        "agreed": number(counts.agreed), "kept": number(counts.kept),
        "known": number(counts.known), "named": number(counts.named),
      ])
  }

  /// Removes the lines of some events, or what is left of them, from quarantined bytes.
  func removeQuarantined(_ events: Set<FullEventID>) {
    let starts = Set(events.map { Array("{\"id\":\"\($0.shortID)\"".utf8) })
    for name in (try? quarantined) ?? [] {
      let file = Path.join(Path.join(path, "quarantine"), name)
      guard let bytes = try? fileSystem.contents(ofFile: file, maximumBytes: 1 << 30) else {
        continue
      }
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let kept = lines.filter { !starts.contains(Array($0.prefix { $0 != UInt8(ascii: ",") })) }
      if kept.count == lines.count { continue }
      if kept.allSatisfy(\.isEmpty) {
        try? fileSystem.remove(file)
      } else {
        try? fileSystem.replaceFile(at: file, with: Array(kept.joined(separator: [0x0A])))
      }
    }
  }
}
