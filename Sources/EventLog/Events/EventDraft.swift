/// An event to append.
public struct EventDraft: Sendable, Hashable {
  /// The time of the event, or `nil` for the time of the append.
  public var at: Timestamp?
  /// The type of the event, in the form `<kind>.<past-tense verb>`.
  public var type: String
  /// The entity that the event is about, or `nil` for a singleton.
  public var entity: EntityID?
  /// The event's data, with the members that its type takes.
  public var data: JSONObject
  /// A reference of your choice, such as an ID in imported data: 1–128 characters.
  ///
  /// An append skips an event if the journal already contains its reference, so you can safely
  /// repeat an import.
  public var ref: String?

  /// Creates an event to append.
  ///
  /// Nothing is checked until you append the event.
  ///
  /// - Parameters:
  ///   - at: The time of the event, or `nil` for the time of the append.
  ///   - type: The type of the event.
  ///   - entity: The entity that the event is about, or `nil` for a singleton.
  ///   - data: The event's data.
  ///   - ref: A reference of your choice.
  public init(
    at: Timestamp? = nil, type: String, entity: EntityID? = nil, data: JSONObject = JSONObject(),
    ref: String? = nil
  ) {
    self.at = at
    self.type = type
    self.entity = entity
    self.data = data
    self.ref = ref
  }

  /// Whether `type` is a valid event type.
  package static func isValid(type: String) -> Bool {
    let bytes = type.utf8
    return (3...64).contains(bytes.count) && bytes.allSatisfy(CharacterClass.type.contains)
      && bytes.contains(UInt8(ascii: ".")) && bytes.first != UInt8(ascii: ".")
      && bytes.last != UInt8(ascii: ".")
  }

  package static func isValid(ref: String) -> Bool {
    (1...128).contains(ref.unicodeScalars.count)
  }
}
