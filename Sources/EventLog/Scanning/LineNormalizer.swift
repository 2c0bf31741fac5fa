/// Rewrites an event line of any spelling into the canonical one, or throws its fault.
///
/// ``CanonicalScanner`` reads the result. This type adds what the scanner lacks: the original
/// offset of an invalid member, and the rules for later versions of the format.
struct LineNormalizer {
  /// The canonical bytes of the last line, without the checksum tail, followed by padding.
  private(set) var canonical: [UInt8] = []
  /// The number of these bytes that belong to the line.
  private(set) var count = 0
  private var slots: [Slot] = []

  /// A member of the line: its name, its canonical `"name":value`, and its original offset.
  private struct Slot {
    var name: String
    var text: [UInt8]
    var offset: Int
    var start = 0
  }

  /// The members in the writer's order.
  private static let order = [
    "id", "at", "type", "entity", "seen", "ref", "more", "data", "salt", "erased",
  ]
  /// The members of an event that was erased as a whole, which has no `data`.
  private static let erasedOrder = ["id", "seen", "more", "erased"]

  /// The state of the checksum at the end of a line.
  enum Tail {
    case missing, fitting, mismatched
  }

  /// Reads `line` into `layout`; the caller adds the checksum.
  ///
  /// Faults of the encoding and of JSON are reported first; then a missing or wrong checksum, which
  /// explains any other fault; then violations of the rules for events.
  mutating func normalize(
    _ line: UnsafeBufferPointer<UInt8>, tail: Tail, into layout: inout LineLayout,
    memo: inout ScanMemo
  ) throws(LineFault) {
    try JSONNormalizer.checkEncoding(line)
    try readMembers(of: line)
    switch tail {
    case .missing: throw LineFault(.missingChecksum, at: line.count, member: "crc")
    case .mismatched:
      throw LineFault(
        .checksumMismatch, at: line.count - LineLimits.checksumTailBytes, member: "crc")
    case .fitting: break
    }
    if let slot = slots.first(where: { $0.name == "v" }) {
      let version = try self.version(slot)
      if version > 1 { return try scanEnvelope(version: version, into: &layout) }
    }
    let isErased = has("erased") && !has("data")
    assemble(isErased ? Self.erasedOrder : Self.order)
    for name in isErased ? ["id"] : ["id", "at", "type", "data"] where !has(name) {
      throw LineFault(.missingMember, at: 0, member: name)
    }
    let refusedAt = canonical.withUnsafeBufferPointer { buffer -> Int? in
      var scanner = CanonicalScanner(
        base: buffer.baseAddress!, end: count - 1, namesAreDistinct: true)
      return scanner.scan(into: &layout, memo: &memo) ? nil : scanner.index
    }
    if let refusedAt { throw fault(atCanonical: refusedAt) }
  }

  /// Parses a JSON object and stores its members in ``slots``.
  private mutating func readMembers(of line: UnsafeBufferPointer<UInt8>) throws(LineFault) {
    slots.removeAll(keepingCapacity: true)
    var names = Set<[UInt8]>()
    var reader = JSONNormalizer(line)
    try reader.skipWhitespace()
    if try reader.peek() != UInt8(ascii: "{") {
      let start = reader.index
      try reader.value(depth: 1)
      throw LineFault(.notAnObject, at: start)
    }
    try reader.expect(UInt8(ascii: "{"))
    try reader.skipWhitespace()
    if try !reader.take(UInt8(ascii: "}")) {
      repeat {
        try reader.skipWhitespace()
        let nameOffset = reader.index
        try reader.string()
        var text = reader.takeOutput(from: 0)
        guard names.insert(text).inserted else {
          throw LineFault(.duplicateMember, at: nameOffset)
        }
        let name = String(
          decoding: StringSpelling.unescaped(text.dropFirst().dropLast()), as: UTF8.self)
        try reader.skipWhitespace()
        try reader.expect(UInt8(ascii: ":"))
        try reader.skipWhitespace()
        let offset = reader.index
        try reader.value(depth: 2)
        text.append(UInt8(ascii: ":"))
        text += reader.takeOutput(from: 0)
        slots.append(Slot(name: name, text: text, offset: offset))
      } while try reader.comma(orEnd: UInt8(ascii: "}"))
    }
    try reader.skipWhitespace()
    guard reader.isAtEnd else { throw reader.unexpected() }
  }

  private func has(_ name: String) -> Bool { slots.contains { $0.name == name } }

  private func version(_ slot: Slot) throws(LineFault) -> Int64 {
    let digits = slot.text.dropFirst(#""v":"#.utf8.count)
    guard let value = Int64(String(decoding: digits, as: UTF8.self)), value >= 1,
      value <= LineLimits.sequenceMax, digits.first != UInt8(ascii: "+")
    else { throw LineFault(.invalidVersion, at: slot.offset, member: "v") }
    return value
  }

  /// Writes the named members into ``canonical``, as a writer would.
  private mutating func assemble(_ names: [String]) {
    canonical.removeAll(keepingCapacity: true)
    canonical.append(UInt8(ascii: "{"))
    for name in names {
      guard let index = slots.firstIndex(where: { $0.name == name }) else { continue }
      if canonical.count > 1 { canonical.append(UInt8(ascii: ",")) }
      slots[index].start = canonical.count
      canonical += slots[index].text
    }
    canonical.append(UInt8(ascii: "}"))
    count = canonical.count
    canonical += [UInt8](repeating: 0, count: CanonicalScanner.padding)
  }

  /// Reads only the ID, `seen` and `more`, for a line of a later version.
  private mutating func scanEnvelope(
    version: Int64, into layout: inout LineLayout
  ) throws(LineFault) {
    assemble(["id", "seen", "more"])
    guard has("id") else {
      throw LineFault(.missingMember, at: 0, member: "id")
    }
    let (hasSeen, hasMore) = (has("seen"), has("more"))
    var read = LineLayout()
    var memo = ScanMemo()
    let refusedAt = canonical.withUnsafeBufferPointer { buffer -> Int? in
      var scanner = CanonicalScanner(
        base: buffer.baseAddress!, end: count - 1, namesAreDistinct: true)
      guard scanner.scanID(into: &read, memo: &memo) else { return scanner.index }
      if hasSeen, !scanner.scanSeenMember(into: &read) { return scanner.index }
      if hasMore, !scanner.scanMore(into: &read) { return scanner.index }
      return nil
    }
    if let refusedAt { throw fault(atCanonical: refusedAt) }
    read.version = version
    layout = read
  }

  /// The fault of the member that contains byte `index` of the canonical text.
  ///
  /// The byte before a member counts as part of it: the scanner stops there if the member's name is
  /// wrong, after the complete value before it.
  private func fault(atCanonical index: Int) -> LineFault {
    let slot = slots.filter { $0.start > 0 && $0.start - 1 <= index }.max { $0.start < $1.start }
    let name = slot?.name ?? "id"
    let code: LineFault.Code =
      switch name {
      case "id": .invalidID
      case "at": .invalidTime
      case "type": .invalidType
      case "entity": .invalidEntity
      case "seen": .invalidSeen
      case "ref": .invalidRef
      case "more": .invalidMore
      case "salt": .invalidSalt
      case "erased": .invalidErased
      default: .invalidData
      }
    return LineFault(code, at: slot?.offset ?? 0, member: name)
  }
}
