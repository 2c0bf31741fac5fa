/// Rewrites one event line of any spelling into the canonical one, or says why it is none.
///
/// The result is read by ``CanonicalScanner``; this type adds what the scanner cannot know: where
/// in the original line a refused member stands, and what a later version of the format allows.
struct LineNormalizer {
  /// The canonical bytes of the last line, without the checksum tail, with the padding that the
  /// scanner needs.
  private(set) var canonical: [UInt8] = []
  /// How many of them are the line's.
  private(set) var count = 0
  private var slots: [Slot] = []

  /// A member of the line: its name, its canonical `"name":value`, and where it was found.
  private struct Slot {
    var name: String
    var text: [UInt8]
    var offset: Int
    var start = 0
  }

  /// The members in the order in which a writer writes them.
  private static let order = ["id", "at", "type", "entity", "seen", "ref", "more", "data"]

  /// Whether a line ends with a checksum, and one of its bytes.
  enum Tail {
    case missing, fitting, mismatched
  }

  /// Reads `line` into `layout`, to which the caller adds the checksum.
  ///
  /// What is no JSON is said first; then that the bytes were changed, which explains whatever else
  /// is wrong; then what breaks a rule of events.
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
    assemble(Self.order)
    for name in ["id", "at", "type", "data"] where !slots.contains(where: { $0.name == name }) {
      throw LineFault(.missingMember, at: 0, member: name)
    }
    let refusedAt = canonical.withUnsafeBufferPointer { buffer -> Int? in
      var scanner = CanonicalScanner(
        base: buffer.baseAddress!, end: count - 1, namesAreDistinct: true)
      return scanner.scan(into: &layout, memo: &memo) ? nil : scanner.index
    }
    if let refusedAt { throw fault(atCanonical: refusedAt) }
  }

  /// Checks a text that is to be one JSON object and keeps its members for ``member(_:)``.
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

  private func version(_ slot: Slot) throws(LineFault) -> Int64 {
    let digits = slot.text.dropFirst(#""v":"#.utf8.count)
    guard let value = Int64(String(decoding: digits, as: UTF8.self)), value >= 1,
      value <= LineLimits.sequenceMax, digits.first != UInt8(ascii: "+")
    else { throw LineFault(.invalidVersion, at: slot.offset, member: "v") }
    return value
  }

  /// Lays the named members out behind one another, as a writer would.
  private mutating func assemble(_ names: [String]) {
    canonical.removeAll(keepingCapacity: true)
    canonical.append(UInt8(ascii: "{"))
    for name in names {
      guard let place = slots.firstIndex(where: { $0.name == name }) else { continue }
      if canonical.count > 1 { canonical.append(UInt8(ascii: ",")) }
      slots[place].start = canonical.count
      canonical += slots[place].text
    }
    canonical.append(UInt8(ascii: "}"))
    count = canonical.count
    canonical += [UInt8](repeating: 0, count: CanonicalScanner.padding)
  }

  /// A line of a later version: only the ID, `seen` and `more` are read.
  private mutating func scanEnvelope(
    version: Int64, into layout: inout LineLayout
  ) throws(LineFault) {
    assemble(["id", "seen", "more"])
    guard slots.contains(where: { $0.name == "id" }) else {
      throw LineFault(.missingMember, at: 0, member: "id")
    }
    let hasSeen = slots.contains { $0.name == "seen" }
    let hasMore = slots.contains { $0.name == "more" }
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

  /// The fault of the member that holds byte `index` of the canonical text.
  ///
  /// The byte before a member is its own: the scanner stays there when the member does not begin as
  /// it should, and the value before it is whole.
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
      default: .invalidData
      }
    return LineFault(code, at: slot?.offset ?? 0, member: name)
  }
}
