/// Reads one event in canonical spelling, in place and in one pass.
///
/// It accepts exactly the canonical form: members in the writer's order, no white space, the
/// shortest escapes. ``LineNormalizer`` rewrites any other line into that form and scans it here
/// again: two speeds, but one set of rules.
///
/// The bytes must be followed by ``padding`` readable bytes, because words are loaded without
/// bounds checks. UTF-8 is checked elsewhere.
struct CanonicalScanner {
  /// The number of bytes past the end that must be readable.
  static let padding = 64
  /// Above this many members in one object, comparing names pairwise is too slow.
  static let membersMax = 32

  let base: UnsafePointer<UInt8>
  /// The offset after the last covered byte.
  let end: Int
  /// The cursor; after a rejection, the offset of the first unacceptable byte.
  var index = 0
  /// Set for bytes from the normalizer, which has already compared all names.
  let namesAreDistinct: Bool
  private let classes: UnsafePointer<UInt8>

  @inline(__always)
  init(
    base: UnsafePointer<UInt8>, end: Int, namesAreDistinct: Bool,
    classes: UnsafePointer<UInt8> = CharacterClass.table
  ) {
    self.classes = classes
    self.base = base
    self.end = end
    self.namesAreDistinct = namesAreDistinct
  }

  /// Reads the whole line into `layout`; false if it is not canonical or breaks a rule.
  mutating func scan(into layout: inout LineLayout, memo: inout ScanMemo) -> Bool {
    scanEnvelope(into: &layout, memo: &memo) && scanData(into: &layout)
  }

  /// Reads the members before `data`.
  @inline(__always)
  mutating func scanEnvelope(into layout: inout LineLayout, memo: inout ScanMemo) -> Bool {
    layout.entity = .none
    layout.ref = .none
    layout.hasMore = false
    layout.version = 1
    layout.isErased = false
    layout.clear()
    guard scanID(into: &layout, memo: &memo) else { return false }
    if base[index &+ 2] != UInt8(ascii: "a") { return scanErasedEnvelope(into: &layout) }
    guard scanTime(into: &layout, dates: &memo.dates), scanType(into: &layout, memo: &memo)
    else { return false }
    // The first letter of its name identifies each optional member: `,"e`, `,"s`, `,"r`, `,"m`.
    if base[index &+ 2] == UInt8(ascii: "e"), !scanEntity(into: &layout) { return false }
    if base[index &+ 2] == UInt8(ascii: "s"), !scanSeenMember(into: &layout) { return false }
    if base[index &+ 2] == UInt8(ascii: "r"), !scanRef(into: &layout) { return false }
    if base[index &+ 2] == UInt8(ascii: "m"), !scanMore(into: &layout) { return false }
    return true
  }

  // MARK: - Envelope

  mutating func scanID(into layout: inout LineLayout, memo: inout ScanMemo) -> Bool {
    // {"id":"
    guard word() & 0x00FF_FFFF_FFFF_FFFF == 0x0022_3A22_6469_227B else { return false }
    index = 7
    return scanEventID(into: &layout, memo: &memo) && take(UInt8(ascii: "\""))
  }

  /// `<device>:<sequence>`.
  private mutating func scanEventID(
    into layout: inout LineLayout, memo: inout ScanMemo
  ) -> Bool {
    let start = index
    let known = memo.devices.length(at: base + start)
    index &+= known
    if known == 0 {
      while classes[Int(base[index])] & 1 != 0 { index &+= 1 }
      guard index > start, index &- start <= 64, base[index] == UInt8(ascii: ":") else {
        return false
      }
      memo.devices.note(base + start, count: index &- start)
    }
    layout.device = ByteRange(start, index)
    index &+= 1
    guard let sequence = scanSequence() else { return false }
    layout.sequence = sequence
    return true
  }

  /// A whole number from 1 to 2^53 − 1 without leading zeros.
  @inline(__always)
  private mutating func scanSequence() -> Int64? {
    let start = index
    var value: Int64 = 0
    while true {
      let digit = base[index] &- 0x30
      if digit > 9 { break }
      value = value &* 10 &+ Int64(digit)
      index &+= 1
      if index &- start > 16 { return nil }
    }
    guard index > start, base[start] != 0x30, value <= LineLimits.sequenceMax else { return nil }
    return value
  }

  private mutating func scanTime(into layout: inout LineLayout, dates: inout DateMemo) -> Bool {
    // ,"at":"  follows the quote that `scanID` consumed.
    guard word() & 0x00FF_FFFF_FFFF_FFFF == 0x0022_3A22_7461_222C else { return false }
    index &+= 7
    guard let milliseconds = TimestampScanner.scan(base + index, dates: &dates) else {
      return false
    }
    layout.at = ByteRange(index, index &+ 24)
    layout.atMilliseconds = milliseconds
    index &+= 24
    return take(UInt8(ascii: "\""))
  }

  private mutating func scanType(into layout: inout LineLayout, memo: inout ScanMemo) -> Bool {
    // ,"type":"
    guard word() == 0x3A22_6570_7974_222C, base[index &+ 8] == UInt8(ascii: "\"") else {
      return false
    }
    index &+= 9
    let start = index
    let known = memo.types.length(at: base + start)
    if known > 0 {
      layout.type = ByteRange(start, start &+ known)
      index &+= known &+ 1
      return true
    }
    var dots = 0
    while classes[Int(base[index])] & 2 != 0 {
      if base[index] == UInt8(ascii: ".") { dots &+= 1 }
      index &+= 1
    }
    // `<kind>.<past-tense verb>`: at least one dot, but neither first nor last.
    guard index &- start >= 3, index &- start <= 64, dots > 0,
      base[start] != UInt8(ascii: "."), base[index &- 1] != UInt8(ascii: ".")
    else { return false }
    layout.type = ByteRange(start, index)
    memo.types.note(base + start, count: index &- start)
    return take(UInt8(ascii: "\""))
  }

  private mutating func scanEntity(into layout: inout LineLayout) -> Bool {
    // ,"entity":"
    guard word() == 0x7974_6974_6E65_222C, base[index &+ 8] == UInt8(ascii: "\""),
      base[index &+ 9] == UInt8(ascii: ":"), base[index &+ 10] == UInt8(ascii: "\"")
    else { return false }
    index &+= 11
    let start = index
    while classes[Int(base[index])] & 4 != 0 { index &+= 1 }
    guard index > start, index &- start <= 64, base[index] == UInt8(ascii: "/") else {
      return false
    }
    index &+= 1
    let key = index
    while classes[Int(base[index])] & 8 != 0 { index &+= 1 }
    guard index > key, index &- key <= 128 else { return false }
    layout.entity = ByteRange(start, index)
    return take(UInt8(ascii: "\""))
  }

  /// `,"seen":[…]`
  mutating func scanSeenMember(into layout: inout LineLayout) -> Bool {
    guard word() == 0x3A22_6E65_6573_222C else { return false }
    index &+= 8
    guard take(UInt8(ascii: "[")) else { return false }
    if base[index] == UInt8(ascii: "]") {
      index &+= 1
      return true
    }
    while true {
      guard take(UInt8(ascii: "\"")), let entry = scanFullID(), isAscending(entry, in: layout)
      else { return false }
      layout.seen.append(entry)
      if base[index] == UInt8(ascii: ",") {
        index &+= 1
        continue
      }
      return take(UInt8(ascii: "]"))
    }
  }

  /// `<device>:<sequence>~<chain>"`
  @inline(__always)
  private mutating func scanFullID() -> SeenEntry? {
    let start = index
    while classes[Int(base[index])] & 1 != 0 { index &+= 1 }
    let device = ByteRange(start, index)
    guard index > start, index &- start <= 64, take(UInt8(ascii: ":")),
      let sequence = scanSequence(), take(UInt8(ascii: "~")),
      let chain = ChainDigits.read(base + index)
    else { return nil }
    index &+= 8
    guard take(UInt8(ascii: "\"")) else { return nil }
    return SeenEntry(device: device, sequence: sequence, chain: chain)
  }

  /// Whether `entry` sorts after the last one, by device, sequence and chain.
  @inline(__always)
  private func isAscending(_ entry: SeenEntry, in layout: LineLayout) -> Bool {
    guard let last = layout.seen.last else { return true }
    let order = compare(last.device, entry.device)
    if order != 0 { return order < 0 }
    return (last.sequence, last.chain) < (entry.sequence, entry.chain)
  }

  private mutating func scanRef(into layout: inout LineLayout) -> Bool {
    // ,"ref":"
    guard word() == 0x223A_2266_6572_222C else { return false }
    index &+= 8
    let start = index
    guard scanStringEnd() else { return false }
    let range = ByteRange(start, index &- 1)
    guard !range.isEmpty, StringSpelling.characterCount(base, range) <= 128 else {
      index = start
      return false
    }
    layout.ref = range
    return true
  }

  /// `,"more":true`
  mutating func scanMore(into layout: inout LineLayout) -> Bool {
    guard word() == 0x3A22_6572_6F6D_222C else { return false }
    index &+= 8
    guard takeLiteral(0x6575_7274, length: 4) else { return false }
    layout.hasMore = true
    return true
  }

  // MARK: - Data

  mutating func scanData(into layout: inout LineLayout) -> Bool {
    if layout.version == 0 { return scanErased(into: &layout) && index == end }
    // ,"data":{
    guard word() == 0x3A22_6174_6164_222C, base[index &+ 8] == UInt8(ascii: "{") else {
      return false
    }
    let start = index &+ 8
    index &+= 9
    if base[index] == UInt8(ascii: "}") {
      index &+= 1
    } else {
      guard scanMembers(into: &layout) else { return false }
    }
    layout.data = ByteRange(start, index)
    if index == end { return true }
    return (scanSalt() || scanErased(into: &layout)) && index == end
  }

  // MARK: - Erased events

  /// Reads `seen` and `more` of an event that was erased as a whole.
  @inline(never)
  private mutating func scanErasedEnvelope(into layout: inout LineLayout) -> Bool {
    (layout.at, layout.atMilliseconds, layout.type, layout.data) = (.none, 0, .none, .none)
    if base[index &+ 2] == UInt8(ascii: "s"), !scanSeenMember(into: &layout) { return false }
    if base[index &+ 2] == UInt8(ascii: "m"), !scanMore(into: &layout) { return false }
    layout.version = 0
    // ,"erased
    return word() == 0x6465_7361_7265_222C
  }

  /// `,"erased":"…"`, with any characters.
  @inline(never)
  private mutating func scanErased(into layout: inout LineLayout) -> Bool {
    guard word() == 0x6465_7361_7265_222C, base[index &+ 8] == UInt8(ascii: "\""),
      base[index &+ 9] == UInt8(ascii: ":"), base[index &+ 10] == UInt8(ascii: "\"")
    else { return false }
    index &+= 11
    layout.isErased = true
    return scanStringEnd()
  }

  // MARK: - Salt

  /// `,"salt":"…"`, with 12 characters of a–z 2–7.
  private mutating func scanSalt() -> Bool {
    guard word() == 0x3A22_746C_6173_222C, base[index &+ 8] == UInt8(ascii: "\"") else {
      return false
    }
    index &+= 9
    let start = index
    while index &- start < LineLimits.saltCount, Self.isSalt(base[index]) { index &+= 1 }
    return index &- start == LineLimits.saltCount && take(UInt8(ascii: "\""))
  }

  @inline(__always)
  private static func isSalt(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "2") < 6
  }

  private mutating func scanMembers(into layout: inout LineLayout) -> Bool {
    while true {
      guard take(UInt8(ascii: "\"")) else { return false }
      let nameStart = index
      guard scanStringEnd() else { return false }
      let name = ByteRange(nameStart, index &- 1)
      guard take(UInt8(ascii: ":")) else { return false }
      let valueStart = index
      guard let kind = scanValue(depth: 3) else { return false }
      if !namesAreDistinct, !isNew(name, in: layout.members) { return false }
      layout.members.append(
        MemberLayout(name: name, value: ByteRange(valueStart, index), kind: kind))
      if base[index] == UInt8(ascii: ",") {
        index &+= 1
        continue
      }
      return take(UInt8(ascii: "}"))
    }
  }

  private func isNew(
    _ name: ByteRange, in members: some RandomAccessCollection<MemberLayout>
  ) -> Bool {
    if members.count >= Self.membersMax { return false }
    let first = word(at: name.start)
    for member in members where member.name.count == name.count {
      // Most names differ in their first eight bytes; shorter names have no others.
      let differing = first ^ word(at: member.name.start)
      if name.count < 8 ? differing << (64 &- 8 &* UInt64(name.count)) != 0 : differing != 0 {
        continue
      }
      if compare(member.name, name) == 0 { return false }
    }
    return true
  }

  /// Reads one value; nil if it is not canonical JSON.
  ///
  /// `depth` is the depth of an object or array at the cursor.
  mutating func scanValue(depth: Int) -> ValueKind? {
    switch base[index] {
    case UInt8(ascii: "\""):
      index &+= 1
      return scanStringEnd() ? .string : nil
    case UInt8(ascii: "-"), 0x30...0x39:
      return scanNumber()
    case UInt8(ascii: "t"):
      return takeLiteral(0x6575_7274, length: 4) ? .true : nil
    case UInt8(ascii: "f"):
      return takeLiteral(0x65_736C_6166, length: 5) ? .false : nil
    case UInt8(ascii: "n"):
      return takeLiteral(0x6C6C_756E, length: 4) ? .null : nil
    case UInt8(ascii: "["):
      return depth <= LineLimits.depthMax && scanArray(depth: depth) ? .array : nil
    case UInt8(ascii: "{"):
      return depth <= LineLimits.depthMax && scanObject(depth: depth) ? .object : nil
    default:
      return nil
    }
  }

  @inline(never)
  private mutating func scanArray(depth: Int) -> Bool {
    index &+= 1
    if base[index] == UInt8(ascii: "]") {
      index &+= 1
      return true
    }
    while true {
      guard scanValue(depth: depth &+ 1) != nil else { return false }
      if base[index] == UInt8(ascii: ",") {
        index &+= 1
        continue
      }
      return take(UInt8(ascii: "]"))
    }
  }

  @inline(never)
  private mutating func scanObject(depth: Int) -> Bool {
    index &+= 1
    if base[index] == UInt8(ascii: "}") {
      index &+= 1
      return true
    }
    var names: [MemberLayout] = []
    while true {
      guard take(UInt8(ascii: "\"")) else { return false }
      let start = index
      guard scanStringEnd() else { return false }
      let name = ByteRange(start, index &- 1)
      if !namesAreDistinct {
        guard isNew(name, in: names) else { return false }
        names.append(MemberLayout(name: name, value: .none, kind: .null))
      }
      guard take(UInt8(ascii: ":")), scanValue(depth: depth &+ 1) != nil else { return false }
      if base[index] == UInt8(ascii: ",") {
        index &+= 1
        continue
      }
      return take(UInt8(ascii: "}"))
    }
  }

  /// A number as in RFC 8259.
  @inline(__always)
  private mutating func scanNumber() -> ValueKind? {
    if base[index] == UInt8(ascii: "-") { index &+= 1 }
    if base[index] == 0x30 {
      index &+= 1
    } else if !takeDigits() {
      return nil
    }
    let next = base[index]
    if next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e") { return .integer }
    if next == UInt8(ascii: ".") {
      index &+= 1
      if !takeDigits() { return nil }
    }
    if base[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if base[index] == UInt8(ascii: "+") || base[index] == UInt8(ascii: "-") { index &+= 1 }
      if !takeDigits() { return nil }
    }
    return .decimal
  }

  @inline(__always)
  private mutating func takeDigits() -> Bool {
    let start = index
    while base[index] &- 0x30 < 10 { index &+= 1 }
    return index > start
  }

  // MARK: - Strings

  /// Moves past the closing quote of the string whose first character is at the cursor.
  ///
  /// It searches eight bytes at a time for a quote, a backslash or a control character.
  @inline(__always)
  private mutating func scanStringEnd() -> Bool {
    while true {
      let word = word()
      let quotes = word ^ 0x2222_2222_2222_2222
      let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
      // The usual zero-byte test. A borrow can mark a wrong byte only above a true stop.
      let stops =
        ((quotes &- 0x0101_0101_0101_0101) & ~quotes)
        | ((slashes &- 0x0101_0101_0101_0101) & ~slashes)
        | ((word &- 0x2020_2020_2020_2020) & ~word)
      let marks = stops & 0x8080_8080_8080_8080
      if marks == 0 {
        index &+= 8
        if index > end { return false }
        continue
      }
      index &+= marks.trailingZeroBitCount >> 3
      if base[index] == UInt8(ascii: "\"") {
        index &+= 1
        return index <= end
      }
      guard index < end, takeEscape() else { return false }
    }
  }

  /// Consumes one escape in its shortest spelling.
  ///
  /// Out of line: in the loop, the compiler makes it branchless, and every load waits for it.
  @inline(never)
  private mutating func takeEscape() -> Bool {
    guard base[index] == UInt8(ascii: "\\") else { return false }
    let length = StringSpelling.canonicalEscapeLength(base + index)
    index &+= length
    return length > 0
  }

  // MARK: - Bytes

  @inline(__always)
  private func word() -> UInt64 { word(at: index) }

  @inline(__always)
  private func word(at index: Int) -> UInt64 {
    UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self).littleEndian
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) -> Bool {
    if base[index] != byte { return false }
    index &+= 1
    return true
  }

  @inline(__always)
  private mutating func takeLiteral(_ literal: UInt64, length: Int) -> Bool {
    let mask = (UInt64(1) << UInt64(length * 8)) &- 1
    if word() & mask != literal { return false }
    index &+= length
    return true
  }

  private func compare(_ left: ByteRange, _ right: ByteRange) -> Int {
    let order = compareBytes(
      base + left.start, base + right.start, count: min(Int(left.count), Int(right.count)))
    return order != 0 ? order : Int(left.count) - Int(right.count)
  }
}
