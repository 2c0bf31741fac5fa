/// What a journal holds of events that were issued again; nothing where no line has a `was`.
///
/// The same event can come to stand under two IDs, where two who did not know of each other issued
/// it again. The one that is applied first is *counted*, and stands for all of them in whatever the
/// events are folded into; another one is an *alias*: it changes nothing, and whoever has seen it
/// has seen the counted one.
///
/// Which one is counted depends on the order of the lines. That nothing else does, follows from
/// what makes two events the same: one `was`, the same content, and the same past, events that are
/// the same being one. So each of them would do the same, and see the same.
struct ReissuedEvents: Sendable {
  /// An event's name, by the device's index.
  struct Name: Sendable, Hashable {
    var device: Int32
    var sequence: Int64
  }

  /// The first event of a device that has a `was`.
  struct First: Sendable {
    var sequence: Int64
    /// The text of its `was`.
    var was: String
  }

  /// An event that another one counts for.
  struct Alias: Sendable {
    var sequence: Int64
    var counted: Name
    /// The device's last event before it that is no alias; 0 where there is none.
    var before: Int64
  }

  /// By the device's index.
  var firsts: [Int: First] = [:]
  /// What devices say as they join that they supersede, by the device's index: the first event that
  /// they carry had been written again before, under that name.
  var superseded: [Int: String] = [:]
  /// What makes two events the same, by the number of the counted one.
  var identities = ByteInterner()
  var counted: [Name] = []
  /// The aliases of each device, by sequence.
  var aliases: [Int: [Alias]] = [:]
  /// The other names of counted events that have some.
  var otherNames: [Name: [Name]] = [:]
  /// The ledger's rows as far as lines state them; only where there are aliases, through which more
  /// was seen.
  var statedRows: [ClockRow] = []
  /// What clocks hold because of aliases, and do not state.
  var history = ClockHistory()

  // MARK: - Taking note

  /// Takes note of an event with a `was`.
  ///
  /// - Parameter past: tells pasts apart.
  /// - Returns: the event that counts for it; nil if it counts itself.
  mutating func add(
    _ name: Name, _ layout: LineLayout, _ canonical: Span<UInt8>, past: UInt32
  ) -> Name? {
    let device = Int(name.device)
    let was = canonical.copy(layout.was)
    if firsts[device] == nil {
      firsts[device] = First(
        sequence: name.sequence, was: String(decoding: was, as: UTF8.self))
    }
    let content = Self.checksum(ofContent: layout, canonical)
    let number = identities.intern(was + Self.bytes(content) + Self.bytes(past))
    if number == counted.count {
      counted.append(name)
      return nil
    }
    let first = counted[number]
    // An event is in the past of those that its device wrote later.
    guard first.device != name.device else { return nil }
    let before = lastNoAlias(of: device, upTo: name.sequence - 1)
    aliases[device, default: []].append(
      Alias(sequence: name.sequence, counted: first, before: before))
    otherNames[first, default: []].append(name)
    return first
  }

  /// What an event says, whoever says it; nothing of a later version's. Two that differ are taken
  /// for the same with a chance of 2^−32, as two histories are by their chains.
  static func checksum(ofContent layout: LineLayout, _ canonical: Span<UInt8>) -> UInt32 {
    var content: [UInt8] = []
    for part in [layout.at, layout.type, layout.entity, layout.data] {
      content += canonical.copy(part)
      // It stands in no canonical spelling.
      content.append(0x0A)
    }
    return CRC32C.checksum(content)
  }

  static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    stride(from: 0, to: Number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  // MARK: - Questions

  /// The last event of a device, up to one, that is no alias; 0 where there is none.
  func lastNoAlias(of device: Int, upTo sequence: Int64) -> Int64 {
    guard let list = aliases[device], let place = Self.place(in: list, behind: sequence - 1),
      list[place].sequence == sequence
    else { return sequence }
    return list[place].before
  }

  /// The aliases of a device behind one sequence, up to another.
  func aliases(of device: Int, behind first: Int64, upTo last: Int64) -> ArraySlice<Alias> {
    guard let list = aliases[device], let start = Self.place(in: list, behind: first) else {
      return []
    }
    return list[start...].prefix { $0.sequence <= last }
  }

  /// Where the first alias behind a sequence stands; nil if there is none.
  private static func place(in list: [Alias], behind sequence: Int64) -> Int? {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if list[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low < list.count ? low : nil
  }
}
