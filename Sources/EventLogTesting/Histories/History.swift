public import EventLog

/// The events of several devices, written as journal lines for a test.
///
/// ```swift
/// var history = History(user: "ada")
/// let phone = history.device("phone")
/// let tablet = history.device("tablet")
/// history.append(phone, "habit.created", "habit/read", ["name": "Read"])
/// history.sync(from: phone, to: tablet)
/// // These two events are concurrent:
/// history.append(phone, "habit.edited", "habit/read", ["name": "Read a book"])
/// history.append(tablet, "habit.edited", "habit/read", ["name": "Read 20 pages"])
/// try history.write(to: folder.file("ada.jsonl"))
/// ```
///
/// Device IDs, times, and order are fixed, so the bytes are the same in each run. Events aren't
/// checked against a schema, so a history can contain events that an append would refuse.
public struct History: Sendable {
  /// The user of the journal.
  public let user: String
  /// The events in the order in which they were written, which respects causality.
  ///
  /// They include events that no copy has anymore.
  package private(set) var entries: [Entry] = []
  private(set) var indexes: [FullEventID: Int] = [:]
  var copies: [CopyState] = []
  /// For each device, the copy that wrote first under its ID.
  private var firstCopies: [DeviceID: Copy] = [:]
  /// The time of the next event without its own `at`.
  private var now = Timestamp("2026-01-01T08:00:00Z")!

  /// Creates a history without devices.
  ///
  /// - Parameter user: The user of the journal.
  public init(user: String) { self.user = user }

  // MARK: - Events

  /// Adds a device, which joins at once.
  ///
  /// Its ID is the name followed by `-aaaaaaaa`.
  ///
  /// The device has no events of others. Use ``sync(from:to:)`` to give it some.
  ///
  /// - Parameter name: The name of the device.
  /// - Returns: The ID of the device.
  /// - Precondition: The name is valid and not taken.
  @discardableResult
  public mutating func device(_ name: String) -> DeviceID {
    let copy = copy(name)
    return device(of: copy)
  }

  /// Appends an event about an entity.
  ///
  /// The event has seen all events that its device has.
  ///
  /// - Parameters:
  ///   - device: The device that writes the event.
  ///   - at: The time of the device's clock, or `nil` for a minute after the last such event.
  ///   - type: The type of the event.
  ///   - entity: The entity, in the form `<kind>/<key>`.
  ///   - data: The event's data.
  /// - Returns: The ID of the event.
  /// - Precondition: The device is one of this history, and `entity` is valid.
  @discardableResult
  public mutating func append(
    _ device: DeviceID, at: Timestamp? = nil, _ type: String, _ entity: String,
    _ data: KeyValuePairs<String, JSONValue> = [:]
  ) -> EventID {
    guard let id = EntityID(entity) else { preconditionFailure("\"\(entity)\" is not an entity") }
    return append(device, EventDraft(at: at, type: type, entity: id, data: JSONObject(data)))
  }

  /// Appends an event about a singleton.
  ///
  /// The event has seen all events that its device has.
  ///
  /// - Parameters:
  ///   - device: The device that writes the event.
  ///   - at: The time of the device's clock, or `nil` for a minute after the last such event.
  ///   - type: The type of the event.
  ///   - data: The event's data.
  /// - Returns: The ID of the event.
  /// - Precondition: The device is one of this history.
  @discardableResult
  public mutating func append(
    _ device: DeviceID, at: Timestamp? = nil, _ type: String,
    _ data: KeyValuePairs<String, JSONValue>
  ) -> EventID {
    append(device, EventDraft(at: at, type: type, data: JSONObject(data)))
  }

  /// Appends an event.
  ///
  /// The event has seen all events that its device has.
  ///
  /// - Parameters:
  ///   - device: The device that writes the event.
  ///   - draft: The event.
  /// - Returns: The ID of the event.
  /// - Precondition: The device is one of this history.
  @discardableResult
  public mutating func append(_ device: DeviceID, _ draft: EventDraft) -> EventID {
    write(draft, on: copy(of: device)).shortID
  }

  /// Appends a line as a later version of the format might write it.
  ///
  /// It has only the members that all versions share, and an entity.
  @discardableResult
  package mutating func appendLaterVersion(_ device: DeviceID, _ entity: EntityID) -> EventID {
    write(EventDraft(type: "", entity: entity), on: copy(of: device)).shortID
  }

  /// Copies all events that one device has to another one, including those of other devices.
  ///
  /// - Parameters:
  ///   - sender: The device whose events are copied.
  ///   - receiver: The device that receives the events.
  public mutating func sync(from sender: DeviceID, to receiver: DeviceID) {
    unite(from: copy(of: sender), to: copy(of: receiver))
  }

  /// Copies all events to every device.
  public mutating func syncAll() {
    guard let first = copies.indices.first else { return }
    for copy in copies.indices { unite(from: Copy(number: copy), to: Copy(number: first)) }
    for copy in copies.indices { unite(from: Copy(number: first), to: Copy(number: copy)) }
  }

  // MARK: - Copies

  /// Returns the copy that wrote first under a device's ID.
  package func copy(of device: DeviceID) -> Copy {
    guard let copy = firstCopies[device] else {
      preconditionFailure("\(device) is not a device of this history")
    }
    return copy
  }

  /// Returns the name followed by `-aaaaaaaa`, which must be a new device ID.
  func freshDevice(_ name: String) -> DeviceID {
    guard let id = DeviceID(name + "-aaaaaaaa"), firstCopies[id] == nil else {
      preconditionFailure("\"\(name)\" is not a valid device name, or is taken")
    }
    return id
  }

  /// Makes a copy join under its device ID.
  mutating func join(_ copy: Copy, _ name: String) {
    let state = copies[copy.number]
    if firstCopies[state.device] == nil { firstCopies[state.device] = copy }
    var data: JSONObject = ["user": .string(state.user), "name": .string(name)]
    if let source = state.source { data = JSONObject(data.members + source.members) }
    write(EventDraft(type: "device.joined", data: data), on: copy)
  }

  mutating func tick() -> Timestamp {
    let tick = now
    now = Timestamp(milliseconds: now.milliseconds + 60_000) ?? now
    return tick
  }

  /// Adds an event and returns its index.
  ///
  /// If two copies concurrently write the same line, it is one event.
  mutating func add(_ entry: Entry) -> Int {
    if let index = indexes[entry.fullID] { return index }
    indexes[entry.fullID] = entries.count
    entries.append(entry)
    return entries.count - 1
  }
}

extension JSONObject {
  fileprivate init(_ pairs: KeyValuePairs<String, JSONValue>) {
    self.init(pairs.map { Member(name: $0.key, value: $0.value) })
  }
}
