// Journals of several devices, made up for a test.

public import EventLog

/// The events of several devices that work apart and meet now and then, as journal lines.
///
/// ```swift
/// var history = History(user: "ada")
/// let phone = history.device("phone")
/// let tablet = history.device("tablet")
/// history.append(phone, "habit.created", "habit/read", ["name": "Read"])
/// history.sync(from: phone, to: tablet)
/// // Neither of these two knows of the other:
/// history.append(phone, "habit.edited", "habit/read", ["name": "Read a book"])
/// history.append(tablet, "habit.edited", "habit/read", ["name": "Read 20 pages"])
/// try history.write(to: folder.file("ada.jsonl"))
/// ```
///
/// Everything is fixed: device IDs, times, order, so that a test sees the same bytes each time.
/// Nothing is checked against a schema: a history may hold what an append would refuse.
public struct History: Sendable {
  /// One event, with the line that states it.
  package struct Entry: Sendable {
    package let id: EventID
    package let at: Timestamp
    /// Empty for a line of a later version.
    package let type: String
    package let entity: EntityID?
    package let data: JSONObject
    /// 1, or more where a later version of the format wrote the line.
    package let version: Int64
    /// All that it has seen, itself included.
    package let clock: [DeviceID: Int64]
    /// What it was re-issued from; nil for most.
    package let was: String?
    /// The line, with its LF.
    package let line: [UInt8]
  }

  /// What one device has and has said.
  private struct Writer {
    var name: String
    var held: [DeviceID: Int64] = [:]
    var stated: [DeviceID: Int64] = [:]
    var chain: UInt32 = 0
  }

  /// Whose journal it is.
  public let user: String
  /// The events in the order they were appended, which respects causality.
  package private(set) var entries: [Entry] = []
  private var writers: [DeviceID: Writer] = [:]
  /// `at` of the next event that states none.
  private var now = Timestamp("2026-01-01T08:00:00Z")!

  /// Begins a history without devices.
  public init(user: String) { self.user = user }

  // MARK: - Making events

  /// Adds a device, which joins at once; its ID is the name and `-aaaaaaaa`.
  ///
  /// It holds nothing yet: ``sync(from:to:)`` gives it what others have.
  ///
  /// - Precondition: the name is one of a device, and new.
  @discardableResult
  public mutating func device(_ name: String) -> DeviceID {
    guard let id = DeviceID(name + "-aaaaaaaa"), writers[id] == nil else {
      preconditionFailure("\"\(name)\" is no device's name, or is taken")
    }
    writers[id] = Writer(name: name)
    append(id, "device.joined", ["user": .string(user), "name": .string(name)])
    return id
  }

  /// Appends an event on an entity, `<kind>/<key>`; the event has seen all that its device holds.
  ///
  /// - Parameter at: what the device's clock showed, right or wrong; nil: a minute after the last
  ///   such event.
  /// - Precondition: the device is one of this history, and `entity` is well formed.
  @discardableResult
  public mutating func append(
    _ device: DeviceID, at: Timestamp? = nil, _ type: String, _ entity: String,
    _ data: KeyValuePairs<String, JSONValue> = [:]
  ) -> EventID {
    guard let id = EntityID(entity) else { preconditionFailure("\"\(entity)\" is no entity") }
    return append(device, EventDraft(at: at, type: type, entity: id, data: JSONObject(data)))
  }

  /// Appends an event that names no entity, for example of a profile or of settings.
  @discardableResult
  public mutating func append(
    _ device: DeviceID, at: Timestamp? = nil, _ type: String,
    _ data: KeyValuePairs<String, JSONValue>
  ) -> EventID {
    append(device, EventDraft(at: at, type: type, data: JSONObject(data)))
  }

  /// Appends an event that has seen all that its device holds.
  @discardableResult
  public mutating func append(_ device: DeviceID, _ draft: EventDraft) -> EventID {
    append(device, draft, was: nil)
  }

  /// The same for an event that is issued again.
  @discardableResult
  package mutating func append(
    _ device: DeviceID, _ draft: EventDraft, was: String?
  ) -> EventID {
    let at = draft.at ?? tick()
    return add(device, was: was) { id, seen, chain in
      var writer = EventLineWriter(after: chain)
      writer.write(
        id: id, at: at, type: draft.type, entity: draft.entity, seen: seen, ref: draft.ref,
        was: was, data: draft.data)
      return (at, draft, 1, writer.bytes, writer.checksum)
    }
  }

  /// Appends a line as a later version of the format might write it: of version 1 it has only what
  /// every version has, and an entity.
  @discardableResult
  package mutating func appendLaterVersion(
    _ device: DeviceID, _ entity: EntityID, was: String? = nil
  ) -> EventID {
    let at = tick()
    return add(device, was: was) { id, seen, chain in
      let clock = seen.map { "\"\($0.device)\":\($0.sequence)" }.joined(separator: ",")
      var bytes = Array(#"{"id":"\#(id)","v":2,"entity":"\#(entity)","op":[1]"#.utf8)
      if !seen.isEmpty { bytes += #","seen":{\#(clock)}"#.utf8 }
      if let was { bytes += #","was":"\#(was)""#.utf8 }
      let checksum = LineChecksum.of(covered: bytes, after: chain)
      bytes += #","crc":"\#(checksum.text)"}"#.utf8
      return (at, EventDraft(type: "", entity: entity), 2, bytes + [0x0A], checksum)
    }
  }

  /// Gives one device all that another holds, also what that one had from others.
  public mutating func sync(from sender: DeviceID, to receiver: DeviceID) {
    let sent = writers[sender]!.held
    writers[receiver]!.held.merge(sent, uniquingKeysWith: max)
  }

  package func hasDevice(_ device: DeviceID) -> Bool { writers[device] != nil }

  /// Gives a device one event of the history, and all that it has seen.
  package mutating func hold(_ event: EventID, on device: DeviceID) {
    let clock = entries.last { $0.id == event }!.clock
    writers[device]!.held.merge(clock, uniquingKeysWith: max)
  }

  /// Gives every device all events.
  public mutating func syncAll() {
    let all = writers.values.reduce(into: [:]) { $0.merge($1.held, uniquingKeysWith: max) }
    for device in writers.keys { writers[device]!.held = all }
  }

  private mutating func tick() -> Timestamp {
    let tick = now
    now = Timestamp(milliseconds: now.milliseconds + 60_000) ?? now
    return tick
  }

  private typealias Written = (
    at: Timestamp, draft: EventDraft, version: Int64, line: [UInt8], checksum: LineChecksum
  )

  private mutating func add(
    _ device: DeviceID, was: String? = nil,
    _ write: (EventID, [(device: DeviceID, sequence: Int64)], UInt32) -> Written
  ) -> EventID {
    guard var writer = writers[device] else {
      preconditionFailure("\(device) is no device of this history")
    }
    let id = EventID(device: device, sequence: (writer.held[device] ?? 0) + 1)
    let seen = writer.held.filter { $0.key != device && $0.value > (writer.stated[$0.key] ?? 0) }
      .sorted { $0.key < $1.key }
      .map { (device: $0.key, sequence: $0.value) }
    writer.held[device] = id.sequence
    writer.stated = writer.held
    let written = write(id, seen, writer.chain)
    writer.chain = written.checksum.chain
    writers[device] = writer
    entries.append(
      Entry(
        id: id, at: written.at, type: written.draft.type, entity: written.draft.entity,
        data: written.draft.data, version: written.version, clock: writer.held,
        was: was, line: written.line))
    return id
  }
}

extension JSONObject {
  fileprivate init(_ pairs: KeyValuePairs<String, JSONValue>) {
    self.init(pairs.map { Member(name: $0.key, value: $0.value) })
  }
}
