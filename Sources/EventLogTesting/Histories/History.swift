// Journals of several devices, made up for a test.

public import EventLog

/// The events of several devices that work apart and sync now and then, as journal lines.
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
  /// Whose journal it is.
  public let user: String
  /// The events in the order they were written, which respects causality; also those that no copy
  /// holds any more.
  package private(set) var entries: [Entry] = []
  private(set) var places: [FullEventID: Int] = [:]
  var copies: [CopyState] = []
  /// Per device the copy that wrote first under its ID.
  private var firstCopies: [DeviceID: Copy] = [:]
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
    let copy = copy(name)
    return device(of: copy)
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
    write(draft, on: copy(of: device)).shortID
  }

  /// Appends a line as a later version of the format might write it: of version 1 it has only what
  /// every version has, and an entity.
  @discardableResult
  package mutating func appendLaterVersion(_ device: DeviceID, _ entity: EntityID) -> EventID {
    write(EventDraft(type: "", entity: entity), on: copy(of: device)).shortID
  }

  /// Gives one device all that another holds, also what that one had from others.
  public mutating func sync(from sender: DeviceID, to receiver: DeviceID) {
    unite(from: copy(of: sender), to: copy(of: receiver))
  }

  /// Gives every device all events.
  public mutating func syncAll() {
    guard let first = copies.indices.first else { return }
    for copy in copies.indices { unite(from: Copy(number: copy), to: Copy(number: first)) }
    for copy in copies.indices { unite(from: Copy(number: first), to: Copy(number: copy)) }
  }

  // MARK: - Copies

  /// The copy that wrote first under a device's ID.
  package func copy(of device: DeviceID) -> Copy {
    guard let copy = firstCopies[device] else {
      preconditionFailure("\(device) is no device of this history")
    }
    return copy
  }

  /// A name and `-aaaaaaaa`, which no device has yet.
  func freshDevice(_ name: String) -> DeviceID {
    guard let id = DeviceID(name + "-aaaaaaaa"), firstCopies[id] == nil else {
      preconditionFailure("\"\(name)\" is no device's name, or is taken")
    }
    return id
  }

  /// Has a copy join under its device ID.
  mutating func join(_ copy: Copy, _ name: String) {
    let state = copies[copy.number]
    if firstCopies[state.device] == nil { firstCopies[state.device] = copy }
    write(
      EventDraft(
        type: "device.joined", data: ["user": .string(state.user), "name": .string(name)]),
      on: copy)
  }

  mutating func tick() -> Timestamp {
    let tick = now
    now = Timestamp(milliseconds: now.milliseconds + 60_000) ?? now
    return tick
  }

  /// Takes an event in, and returns its place.
  ///
  /// Where two copies that do not know of each other write the very same line, that is one event.
  mutating func add(_ entry: Entry) -> Int {
    if let place = places[entry.fullID] { return place }
    places[entry.fullID] = entries.count
    entries.append(entry)
    return entries.count - 1
  }
}

extension JSONObject {
  fileprivate init(_ pairs: KeyValuePairs<String, JSONValue>) {
    self.init(pairs.map { Member(name: $0.key, value: $0.value) })
  }
}
