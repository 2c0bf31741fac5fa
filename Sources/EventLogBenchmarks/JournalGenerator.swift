import EventLog

/// Generates a journal of one user's three devices, which work offline and sync now and then.
///
/// The mix, in percent of events: 36 completion.advanced, 20 completion.recorded, 28 habit.edited,
/// 3 completion.skipped, 6 settings.changed, 3 profile.updated, 1 settings.included, 1 archived,
/// and the creations of 3,000 habits. Completions go to 100 of these, over 600 days. One line in
/// seven contains text outside ASCII, one in fourteen an escape. Before one event in twenty, a
/// device syncs with all others.
///
/// If there are more devices, each writes equally often. Like every writer, a device states each
/// tip that its own history does not cover.
struct JournalGenerator {
  private struct Device {
    var id: DeviceID
    /// Its last event.
    var end = End()
    /// The last events of each device that it has seen, and that its lines have stated.
    var seen: [End]
    var stated: [End]

    init(_ id: String, of count: Int) {
      self.id = DeviceID(id)!
      seen = [End](repeating: End(), count: count)
      stated = seen
    }

    mutating func see(_ end: End, of other: Int) {
      if end.sequence > seen[other].sequence { seen[other] = end }
    }
  }

  /// The sequence and chain of an event.
  private struct End {
    var sequence: Int64 = 0
    var chain: UInt32 = 0
  }

  private static let habitCount = 3000
  private var random: SplitMix64
  private let salt: RandomText
  private let eventCount: Int
  private let user: String
  private var devices: [Device]
  /// The indices of the devices that write.
  private var writers: [Int]
  /// The time of the next event, in milliseconds since 1970.
  private var time: Int64 = 1_609_488_000_000
  private(set) var typeCounts: [String: Int] = [:]

  init(seed: UInt64, eventCount: Int, deviceCount: Int = 3, user: String = "ada") {
    random = SplitMix64(seed: seed)
    salt = .seeded(seed)
    self.eventCount = eventCount
    self.user = user
    let few = ["phone-k3f9a2xq", "tablet-9xq2m4ty", "laptop-b7c5d2ef"]
    let names =
      deviceCount <= few.count
      ? Array(few.prefix(max(1, deviceCount))) : (1...deviceCount).map { "device\($0)-k3f9a2xq" }
    devices = names.map { Device($0, of: names.count) }
    writers = Array(devices.indices)
  }

  /// Writes the journal and returns its length in bytes.
  mutating func write(to path: String) throws -> Int64 {
    try write(0..<eventCount, to: [path], at: 0)
  }

  /// Writes two journals of this many events, which differ in their last hundredth.
  ///
  /// The phone continues in the left one, tablet and laptop in the right one.
  ///
  /// - Returns: The lengths in bytes.
  mutating func writePair(_ left: String, _ right: String) throws -> (left: Int64, right: Int64) {
    // The joins of all devices are common.
    let commonCount = max(min(devices.count, eventCount), eventCount - max(1, eventCount / 100))
    let common = try write(0..<commonCount, to: [left, right], at: 0)
    var other = self
    other.random = SplitMix64(seed: random.next())
    (writers, other.writers) = ([0], [1, 2])
    let rest = commonCount..<eventCount
    return (
      try write(rest, to: [left], at: common), try other.write(rest, to: [right], at: common)
    )
  }

  /// Writes events to the files from an offset on and returns their end.
  private mutating func write(
    _ events: Range<Int>, to paths: [String], at start: Int64
  ) throws -> Int64 {
    let disk = SystemFileSystem()
    var files: [FileDescriptor] = []
    defer { for file in files { disk.close(file) } }
    for path in paths {
      files.append(try disk.open(path, .create))
      try disk.truncate(files[files.count - 1], to: start)
    }
    var buffer: [UInt8] = []
    var offset = start
    for index in events {
      buffer += line(index)
      guard buffer.count > 1 << 20 || index == events.upperBound - 1 else { continue }
      for file in files { try disk.writeAll(file, buffer, at: offset) }
      offset += Int64(buffer.count)
      buffer.removeAll(keepingCapacity: true)
    }
    return offset
  }

  // MARK: - Events

  private mutating func line(_ index: Int) -> [UInt8] {
    let isJoining = index < devices.count
    let writer = isJoining ? index : writers.randomElement(using: &random)!
    // 600 days on average, for any number of events.
    time += Int64.random(in: 0...(2 * 600 * 86_400_000 / Int64(eventCount)), using: &random)
    if !isJoining, Int.random(in: 0..<20, using: &random) == 0 { sync(writer) }
    let event = isJoining ? joining(writer) : action(index - devices.count)
    typeCounts[event.type, default: 0] += 1
    return encode(event, by: writer)
  }

  private mutating func sync(_ writer: Int) {
    for other in devices.indices where other != writer {
      devices[writer].see(devices[other].end, of: other)
    }
  }

  private func fullID(_ end: End, of device: Int) -> FullEventID {
    FullEventID(device: devices[device].id, sequence: end.sequence, chain: end.chain)
  }

  /// Returns the `seen` of a device's next event.
  private mutating func takeUnstatedEnds(of writer: Int) -> [FullEventID] {
    var unstated: [FullEventID] = []
    for other in devices.indices where other != writer {
      let end = devices[writer].seen[other]
      guard end.sequence > devices[writer].stated[other].sequence else { continue }
      unstated.append(fullID(end, of: other))
      devices[writer].stated[other] = end
    }
    return unstated.sorted()
  }

  private mutating func encode(_ event: EventDraft, by writer: Int) -> [UInt8] {
    let seen = takeUnstatedEnds(of: writer)
    var end = devices[writer].end
    var lines = EventLineWriter(after: end.chain)
    end.sequence += 1
    lines.write(
      id: EventID(device: devices[writer].id, sequence: end.sequence),
      at: Timestamp(milliseconds: time)!, type: event.type, entity: event.entity, seen: seen,
      data: event.data, salt: salt.next(LineLimits.saltCount))
    end.chain = lines.checksum.chain
    devices[writer].end = end
    devices[writer].seen[writer] = end
    return lines.bytes
  }

  private func joining(_ writer: Int) -> EventDraft {
    let name = String(devices[writer].id.text.prefix { $0 != "-" })
    return draft("device.joined", nil, ["user": .string(user), "name": .string(name)])
  }

  private mutating func action(_ index: Int) -> EventDraft {
    if index < min(Self.habitCount, eventCount / 10) { return creation(index) }
    let habits = min(Self.habitCount, max(1, eventCount / 10))
    // Few habits are used often, and most of them rarely.
    let skewed = min(
      Int.random(in: 0..<habits, using: &random), Int.random(in: 0..<habits, using: &random))
    let entity = EntityID(kind: "habit", key: key(skewed))!
    let active = EntityID(kind: "habit", key: key(skewed % 100))!
    switch Int.random(in: 0..<98, using: &random) {
    case 0..<36:
      return draft(
        "completion.advanced", active,
        [
          "date": date(), "source": .string(text(7)),
          "by": .number(JSONNumber(Int64.random(in: 1...5, using: &random))),
        ])
    case 36..<56:
      return draft(
        "completion.recorded", active,
        [
          "date": date(), "source": .string(text(7)),
          "progress": .number(JSONNumber(Int64.random(in: 0...30, using: &random))),
        ])
    case 56..<84: return edit(entity)
    case 84..<87:
      return draft("completion.skipped", active, ["date": date(), "reason": .string(text(2))])
    case 87..<93:
      let key = "key\(Int.random(in: 0..<40, using: &random))"
      return draft("settings.changed", nil, JSONObject([.init(name: key, value: .string(text(9)))]))
    case 93..<96:
      return draft(
        "profile.updated", nil,
        [
          "firstName": "Ada",
          "height": .number(JSONNumber(Int64.random(in: 150...190, using: &random))),
          "note": .string(text(8)),
        ])
    case 96:
      return draft(
        "settings.included", nil,
        ["key": "allergens", "members": .array([.string(word()), .string(word())])])
    default: return draft("habit.archived", entity, JSONObject())
    }
  }

  private mutating func creation(_ index: Int) -> EventDraft {
    draft(
      "habit.created", EntityID(kind: "habit", key: key(index))!,
      [
        "name": .string(text(2)),
        "goal": .number(JSONNumber(Int64.random(in: 1...20, using: &random))),
        "schedule": "3/7", "color": .string("#\(100_000 + index)"), "question": .string(text(6)),
        "position": .number(JSONNumber(Int64(index))),
      ])
  }

  private mutating func edit(_ entity: EntityID) -> EventDraft {
    var data: JSONObject = ["name": .string(text(3))]
    let fields = ["icon", "unit", "question", "reminder", "color", "note", "place", "group"]
    for _ in 0..<2 {
      data[fields[Int.random(in: 0..<fields.count, using: &random)]] = .string(text(3))
    }
    data["position"] = .number(JSONNumber(Int64.random(in: 0..<3000, using: &random)))
    return draft("habit.edited", entity, data)
  }

  // MARK: - Values

  private func draft(_ type: String, _ entity: EntityID?, _ data: JSONObject) -> EventDraft {
    EventDraft(type: type, entity: entity, data: data)
  }

  private func key(_ index: Int) -> String { "h\(100_000 + index * 7)" }

  private mutating func date() -> JSONValue {
    let day = Timestamp(milliseconds: time)!.description.prefix(10)
    return .string(String(day))
  }

  private mutating func word() -> String {
    let words = [
      "bread", "water", "morning", "run", "read", "pages", "sleep", "early", "stretch", "walk",
      "piano", "garden", "letters", "kitchen", "breakfast", "evening", "minutes", "exercise",
    ]
    switch Int.random(in: 0..<60, using: &random) {
    case 0: return "Früh"
    case 1: return "日本語"
    case 2: return "café"
    case 3: return "a \"quoted\" word"
    default: return words[Int.random(in: 0..<words.count, using: &random)]
    }
  }

  private mutating func text(_ count: Int) -> String {
    (0..<count).map { _ in word() }.joined(separator: " ")
  }
}
