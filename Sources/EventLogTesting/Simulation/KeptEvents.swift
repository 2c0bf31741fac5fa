import EventLog

/// Events that are there: as they were written, or written again under another ID.
struct KeptEvents {
  private let held: HeldLines
  /// What the lines that were written again were before.
  private let originals: Set<String>

  init(_ held: HeldLines) {
    self.held = held
    originals = Set(held.lines.values.joined().compactMap(Self.original))
  }

  /// - Parameter line: as the event was written.
  func hold(_ line: [UInt8], _ event: EventID) -> Bool {
    if held.lines[event]?.contains(line) == true { return true }
    let checksum = String(decoding: line.dropLast(2).suffix(16), as: UTF8.self)
    return originals.contains(Self.original(of: line) ?? "\(event)/\(checksum)")
  }

  /// What a line says in `was`.
  private static func original(of line: [UInt8]) -> String? {
    guard case .object(let event)? = try? JSONValue(parsing: line),
      case .string(let was)? = event["was"]
    else { return nil }
    return was
  }
}
